"""Over seeds: intervals, tests, and what is left when chance is taken away."""
