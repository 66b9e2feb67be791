"""The paper's numbers: recomputed from its own seeds, and laid beside this rebuild's."""
