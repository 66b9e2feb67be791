"""The network is the protocol's, and so are its initial weights."""

import pytest
import torch
from torch import nn

from hysteresis.errors import UserError
from hysteresis.jobs.run import InitialWeights, NetworkSettings
from hysteresis.provenance.digest import reachable_modules
from hysteresis.training.checkpoints import weights_sha256
from hysteresis.training.kernels import view_in_channels_last
from hysteresis.training.layers import (
    ARCHITECTURES,
    Layer,
    architecture_named,
    architecture_with,
    label_of,
)
from hysteresis.training.network import (
    initial_weights,
    network_with,
    new_network,
    parameter_shapes,
)
from tests.test_package import loaded

SHA256_OF_SEED_101 = "236f8418436b2128c049e3910c411c71cc64a4cb6ad996f9c60b9cd78b9a2335"


def plain_network(activation: nn.Module) -> nn.Sequential:
    """The same network written with PyTorch's modules, as the record has it."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), activation, nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), activation, nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 128), activation, nn.Linear(128, 10),
    )  # fmt: skip


@pytest.mark.parametrize("seed", [101, 2020])
def test_initial_weights_are_pytorchs_defaults_drawn_in_the_order_of_the_layers(seed):
    torch.manual_seed(seed)
    expected = [parameter.detach() for parameter in plain_network(nn.ReLU()).parameters()]
    drawn = list(initial_weights(NetworkSettings(), InitialWeights(seed)).values())
    assert len(drawn) == len(expected) and all(map(torch.equal, drawn, expected))


def test_initial_weights_of_seed_101_have_the_same_bytes_on_any_machine():
    weights = initial_weights(NetworkSettings(), InitialWeights(101))
    assert weights_sha256(weights) == SHA256_OF_SEED_101


def test_a_perturbation_moves_the_first_layers_weights_relatively_and_nothing_else():
    plain = initial_weights(NetworkSettings(), InitialWeights(101))
    noisy = initial_weights(NetworkSettings(), InitialWeights(101, perturbation=1e-3))
    moved = [name for name in plain if not torch.equal(plain[name], noisy[name])]
    assert moved == ["conv1.weight"]
    relative = noisy["conv1.weight"] / plain["conv1.weight"] - 1
    assert relative.std().item() == pytest.approx(1e-3, rel=0.15)


def test_drawing_initial_weights_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    initial_weights(NetworkSettings(), InitialWeights(101))
    assert torch.equal(torch.get_rng_state(), before)


def test_the_network_has_421642_parameters():
    network = new_network(NetworkSettings())
    assert sum(parameter.numel() for parameter in network.parameters()) == 421_642


@pytest.mark.parametrize(
    ("name", "activation"), [("relu", nn.ReLU()), ("leaky_relu", nn.LeakyReLU(0.01))]
)
def test_forward_and_activations_agree_with_the_plain_network(name, activation):
    settings = NetworkSettings(activation=name)
    weights = initial_weights(settings, InitialWeights(1))
    network, plain = network_with(settings, weights), plain_network(activation)
    plain.load_state_dict(dict(zip(plain.state_dict(), weights.values(), strict=True)))
    # In the memory format that the network uses on the CPU; another one rounds otherwise.
    images = view_in_channels_last(
        torch.randn(9, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    )
    with torch.inference_mode():
        assert torch.equal(network(images), plain(images))
        activations = network.activations(images)
        assert torch.equal(activations["logits"], plain(images))
        assert torch.equal(activations["conv1"], plain[:2](images))
        assert torch.equal(activations["conv2"], plain[:5](images))
        assert torch.equal(activations["fc1"], plain[:9](images))


def test_an_unknown_activation_is_refused():
    with pytest.raises(UserError, match="'gelu'; choose 'relu' or 'leaky_relu'"):
        new_network(NetworkSettings(activation="gelu"))


def test_an_unknown_architecture_is_refused():
    with pytest.raises(UserError, match="architecture 'transformer' is unknown"):
        new_network(NetworkSettings(architecture="transformer"))


def test_a_network_takes_the_shape_of_the_images_and_the_number_of_classes():
    settings = NetworkSettings(image_shape=(3, 32, 20), classes=7)
    network = network_with(settings, initial_weights(settings, InitialWeights(1)))
    assert network(torch.zeros(2, 3, 32, 20)).shape == (2, 7)


def test_the_shapes_of_parameters_are_known_without_drawing_any():
    settings = NetworkSettings(channels=(4, 8), hidden=16)
    state = torch.get_rng_state()
    shapes = parameter_shapes(settings)
    assert torch.equal(torch.get_rng_state(), state)
    drawn = initial_weights(settings, InitialWeights(1))
    assert shapes == {name: tuple(tensor.shape) for name, tensor in drawn.items()}


# ---- the declaration of its layers -----------------------------------------------------------

declared = pytest.mark.parametrize("name", ARCHITECTURES)


@declared
def test_a_network_gives_just_the_activations_that_are_declared_in_their_order(name):
    settings, architecture = NetworkSettings(architecture=name), architecture_named(name)
    network = new_network(settings)
    activations = network.activations(torch.zeros(3, *settings.image_shape))
    assert tuple(activations) == architecture.names
    assert activations[architecture.outputs].shape == (3, settings.classes)
    for maps in architecture.pooled_maps:
        assert activations[maps.of].dim() == 4


@declared
def test_h_repr_is_made_of_hidden_layers_and_no_two_views_have_one_name(name):
    architecture = ARCHITECTURES[name]
    assert architecture.in_h_repr and set(architecture.in_h_repr) <= set(architecture.hidden)
    assert architecture.outputs not in architecture.hidden
    assert len(architecture.views) == len(architecture.layers) + len(architecture.pooled_maps)


def test_a_table_tells_its_architecture_by_the_layers_and_a_name_has_one_label():
    every = list(ARCHITECTURES.values())
    assert [architecture_with(each.names) for each in every] == every
    for architecture in every:
        for name, view in architecture.views.items():
            assert label_of(name) == f"{view.of}, {view.compared}"


def test_the_papers_network_is_declared_as_the_protocol_has_it():
    convolutional = architecture_named("convolutional")
    assert convolutional.names == ("conv1", "conv2", "fc1", "logits")
    assert convolutional.in_h_repr == ("conv2", "fc1")
    assert convolutional.hidden == ("conv1", "conv2", "fc1")
    assert list(convolutional.views) == ["conv1", "conv2", "conv2_maps", "fc1", "logits"]
    assert isinstance(convolutional.views["fc1"], Layer)


@pytest.mark.parametrize(
    "ask", [lambda: architecture_named("transformer"), lambda: architecture_with(["attention"])]
)
def test_undeclared_layers_are_refused_in_one_line(ask):
    with pytest.raises(UserError, match=r"hysteresis/training/layers.py") as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_the_declaration_is_light_and_training_does_not_follow_it():
    assert "torch" not in loaded("hysteresis.training.layers", "hysteresis.pairs.columns")
    assert "hysteresis.training.layers" not in reachable_modules("hysteresis.training.segment")
