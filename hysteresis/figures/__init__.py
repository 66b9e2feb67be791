"""The paper's figures, drawn from tables alone.

One module a figure, each with ``draw(inputs) -> matplotlib.figure.Figure``; ``style`` holds what
they have in common and writes them. No global state of pyplot is used or changed.
"""
