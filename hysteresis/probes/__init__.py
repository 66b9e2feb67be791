"""Linear probes: how much of a history can be read from frozen features."""
