"""What a job is told: frozen, explicit, and the same bytes as JSON."""
