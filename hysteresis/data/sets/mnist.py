"""MNIST: 28 x 28 grey images of ten handwritten digits.

Y. LeCun, C. Cortes and C. Burges, http://yann.lecun.com/exdb/mnist/; the files uncompressed.
"""

from hysteresis.data.facts import DataSet

DATA_SET = DataSet(
    files={
        "train-images-idx3-ubyte": (
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
        ),
        "train-labels-idx1-ubyte": (
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
        ),
        "t10k-images-idx3-ubyte": (
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
        ),
        "t10k-labels-idx1-ubyte": (
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
        ),
    },
    images={"train": "train-images-idx3-ubyte", "test": "t10k-images-idx3-ubyte"},
    labels={"train": "train-labels-idx1-ubyte", "test": "t10k-labels-idx1-ubyte"},
    label_counts={
        "train": (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
        "test": (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
    },
    image_shape=(1, 28, 28),
    mean=0.1307,
    standard_deviation=0.3081,
)
