"""From a data set's files to minibatches of images."""
