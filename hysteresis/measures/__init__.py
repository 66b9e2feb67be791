"""Further measures of similarity on the same checkpoints, and dependence on the probe images."""
