"""Which files there are, from which others each is made, and what a job may ask for."""
