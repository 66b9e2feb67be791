"""The noise floor under H_repr: null pairs, the excess over them, within against between orders."""
