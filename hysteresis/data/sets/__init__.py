"""A module a data set: what is known of its files. See docs/extending.md."""
