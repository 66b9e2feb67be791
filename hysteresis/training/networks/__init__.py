"""A module an architecture, each with a class ``Network``. See docs/extending.md."""
