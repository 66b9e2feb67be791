"""Representations are averaged before pooling, and units' health is counted over all positions."""

import numpy as np
import torch

from hysteresis.jobs.run import InitialWeights
from hysteresis.pairs.behavior import BATCH
from hysteresis.pairs.representations import represent
from hysteresis.training.layers import architecture_named
from hysteresis.training.network import initial_weights, network_with
from tests.conftest import SMALL_NETWORK

CONVOLUTIONAL = architecture_named("convolutional")


def network():
    return network_with(SMALL_NETWORK, initial_weights(SMALL_NETWORK, InitialWeights(3))).eval()


def images(count=BATCH + 20):
    return torch.randn(count, 1, 28, 28, generator=torch.Generator().manual_seed(0))


def test_features_are_spatial_means_of_the_maps_before_pooling():
    shown = represent(network(), CONVOLUTIONAL, images())
    maps = network().activations(images())
    assert {layer: values.shape[1] for layer, values in shown.features.items()} == {
        "conv1": 4, "conv2": 8, "fc1": 16, "logits": 10,
    }  # fmt: skip
    for layer in ("conv1", "conv2"):
        expected = maps[layer].detach().double().mean(dim=(2, 3)).numpy()
        assert shown.features[layer].dtype == np.float64
        np.testing.assert_allclose(shown.features[layer], expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(shown.features["fc1"], maps["fc1"].detach().numpy(), rtol=1e-5)


def test_health_agrees_with_a_direct_computation_and_sees_dead_units():
    net = network()
    with torch.no_grad():
        net.conv1.weight[1] = 0
        net.conv1.bias[1] = -1  # this unit never fires
    health = represent(net, CONVOLUTIONAL, images()).health
    for layer, values in net.activations(images()).items():
        if layer == "logits":
            continue
        units = values.detach().double().transpose(0, 1).flatten(1).numpy()
        rates = (units > 1e-6).mean(axis=1)
        assert np.isclose(health[layer].positive_rate, rates.mean())
        assert np.isclose(health[layer].sparsity, 1 - rates.mean())
        assert np.isclose(health[layer].dead_ratio, (rates < 1e-4).mean())
        assert np.isclose(health[layer].variance, units.var(axis=1).mean())
    assert health["conv1"].dead_ratio == 0.25
