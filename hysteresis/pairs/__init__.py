"""Two runs side by side: behaviour, representations, match."""
