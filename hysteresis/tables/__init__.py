"""The tables that are printed."""
