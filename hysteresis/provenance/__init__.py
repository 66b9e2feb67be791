"""Which code made a file, and files that appear whole or not at all."""
