"""What a user writes: sections, the configuration they make, its checks, and its loading."""
