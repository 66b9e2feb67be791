"""The layers of the network."""

HIDDEN_LAYERS = ("conv1", "conv2", "fc1")
LAYERS = (*HIDDEN_LAYERS, "logits")
