"""The network and its training, from any checkpoint to the next."""
