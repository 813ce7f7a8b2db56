"""Eleven energies against a 2 x 3 example worked out by hand, and what holds for all of them."""

import math

import pytest
import torch
from torch.nn import functional

from seq2bert.attention import energies
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS

QUERY = torch.tensor([[1.0, 2.0], [0.0, -1.0]])
KEY = torch.tensor([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]])
WEIGHT = torch.tensor([[1.0, 2.0], [0.0, -1.0]])
# q W: (1, 2) W = (1, 2 - 2) = (1, 0); (0, -1) W = (0, 1)
GENERAL = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])


def check(found, expected):
    assert torch.allclose(found, torch.as_tensor(expected), atol=1e-6)


def test_dot():
    check(energies.dot_energy(QUERY, KEY), [[1.0, 6.0, 4.0], [0.0, -3.0, -1.0]])


def test_scaled_dot_divides_by_the_root_of_the_width_of_a_key():
    root = math.sqrt(2)
    expected = [[1 / root, 6 / root, 4 / root], [0.0, -3 / root, -1 / root]]
    check(energies.scaled_dot_energy(QUERY, KEY), expected)


def test_general():
    check(energies.general_energy(QUERY, KEY, WEIGHT), GENERAL)


def test_biased_general_adds_a_score_that_does_not_depend_on_the_query():
    # b . k for b = (1, -1): 1, -3, 1
    found = energies.biased_general_energy(QUERY, KEY, WEIGHT, torch.tensor([1.0, -1.0]))
    check(found, GENERAL + torch.tensor([1.0, -3.0, 1.0]))


def test_activated_general_with_tanh_and_with_relu():
    half = torch.tensor(-0.5)
    tanh = energies.activated_general_energy(QUERY, KEY, WEIGHT, half)
    check(tanh[0], [math.tanh(0.5), math.tanh(-0.5), math.tanh(1.5)])
    relu = energies.activated_general_energy(QUERY, KEY, WEIGHT, half, torch.relu)
    check(relu, [[0.5, 0.0, 1.5], [0.0, 2.5, 0.5]])


def test_additive_of_projected_vectors():
    found = energies.additive_energy(QUERY, KEY, torch.tensor([1.0, -2.0]))
    expected = math.tanh(1 + 2) - 2 * math.tanh(2 + 1)  # query 0, key 2
    check(found[0, 2], expected)
    check(found[1, 0], math.tanh(0 + 1) - 2 * math.tanh(-1 + 0))


def test_concat():
    # W [q; k] = (q_1 + k_2, q_2 - k_1)
    weight = torch.tensor([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0]])
    found = energies.concat_energy(QUERY, KEY, weight, torch.tensor([1.0, 3.0]))
    check(found[0, 1], math.tanh(1 + 3) + 3 * math.tanh(2 - 0))
    check(found[1, 2], math.tanh(0 + 1) + 3 * math.tanh(-1 - 2))


def test_cosine():
    expected = [
        [1 / math.sqrt(5), 2 / math.sqrt(5), 4 / 5],
        [0.0, -1.0, -1 / math.sqrt(5)],
    ]
    check(energies.cosine_energy(QUERY, KEY), expected)
    assert (energies.cosine_energy(torch.zeros(1, 2), KEY) == 0).all()


def test_location_reads_the_query_and_not_the_keys():
    weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [9.0, 9.0]])
    found = energies.location_energy(QUERY, KEY, weight)
    check(found, [[1.0, 2.0, 3.0], [0.0, -1.0, -1.0]])
    assert torch.equal(found, energies.location_energy(QUERY, torch.randn(3, 7), weight))
    with pytest.raises(ValueError, match=r"5 keys.*only 4 places"):
        energies.location_energy(QUERY, torch.randn(5, 2), weight)


def test_deep():
    first = torch.tensor([[1.0, 0.0, 0.0, 1.0]]), torch.tensor([-1.0])
    second = torch.tensor([[2.0], [-1.0]]), torch.tensor([0.0, 0.5])
    found = energies.deep_energy(QUERY, KEY, [first, second], torch.tensor([1.0, 1.0]))
    hidden = math.tanh(1 + 3 - 1)  # query 0, key 1
    check(found[0, 1], math.tanh(2 * hidden) + math.tanh(-hidden + 0.5))
    with pytest.raises(ValueError, match="no layers"):
        energies.deep_energy(QUERY, KEY, [], torch.ones(2))


def test_distance_is_half_the_squared_distance_below_zero():
    expected = [[-2.0, -1.0, -1.0], [-1.0, -8.0, -4.0]]
    check(energies.distance_energy(QUERY, KEY), expected)
    assert torch.allclose(
        energies.distance_energy(QUERY, KEY), -(torch.cdist(QUERY, KEY) ** 2) / 2, atol=1e-5
    )


# -- what is a special case of what ---------------------------------------------------------------


def test_general_with_the_identity_is_dot_and_with_less_of_it_scaled_dot():
    one = torch.eye(2)
    check(energies.general_energy(QUERY, KEY, one), energies.dot_energy(QUERY, KEY))
    check(energies.general_energy(QUERY, KEY, one / 2**0.5), energies.scaled_dot_energy(QUERY, KEY))


def test_biased_and_activated_general_without_what_they_add_are_general():
    plain = energies.general_energy(QUERY, KEY, WEIGHT)
    check(energies.biased_general_energy(QUERY, KEY, WEIGHT, torch.zeros(2)), plain)
    none = torch.tensor(0.0)
    check(energies.activated_general_energy(QUERY, KEY, WEIGHT, none, lambda e: e), plain)


def test_concat_is_additive_with_the_two_halves_of_its_matrix():
    weight, vector = torch.randn(5, 4), torch.randn(5)
    halves = energies.additive_energy(QUERY @ weight[:, :2].T, KEY @ weight[:, 2:].T, vector)
    check(energies.concat_energy(QUERY, KEY, weight, vector), halves)


def test_deep_with_one_layer_and_no_bias_is_concat():
    weight, vector = torch.randn(5, 4), torch.randn(5)
    deep = energies.deep_energy(QUERY, KEY, [(weight, torch.zeros(5))], vector)
    check(deep, energies.concat_energy(QUERY, KEY, weight, vector))


def test_cosine_is_dot_of_vectors_of_length_one():
    unit = functional.normalize(QUERY, dim=-1), functional.normalize(KEY, dim=-1)
    check(energies.cosine_energy(QUERY, KEY), energies.dot_energy(*unit))


def test_a_softmax_of_distances_is_a_softmax_of_dots_where_all_keys_are_equally_long():
    keys = functional.normalize(torch.randn(6, 4), dim=-1)
    query = torch.randn(3, 4)
    check(
        energies.distance_energy(query, keys).softmax(-1),
        energies.dot_energy(query, keys).softmax(-1),
    )


def test_widths_that_do_not_fit_are_named(unchecked):
    energies = unchecked("attention.energies")
    for energy in (energies.dot_energy, energies.cosine_energy, energies.distance_energy):
        with pytest.raises(ValueError, match="2 wide, the key 3"):
            energy(QUERY, torch.randn(3, 3))
    with pytest.raises(ValueError, match=r"takes 5 numbers.*2 \+ 2"):
        energies.concat_energy(QUERY, KEY, torch.randn(3, 5), torch.randn(3))


# -- what holds for every energy and every distribution -------------------------------------------

DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}
MASK = torch.tensor([[True, True, False, True, False], [True, False, False, False, False]])


@pytest.fixture(params=MAKERS)
def energy(request):
    """Each energy, its parameters drawn anew, for queries and keys of width 6."""
    torch.manual_seed(1)
    made = MAKERS[request.param](6, 6, 8)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    made.name = request.param
    return made


def sample(seed=2):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(2, 3, 6, generator=generator),
        torch.randn(2, 5, 6, generator=generator),
    )


def test_shape_and_gradient_of_every_energy(energy):
    query, key = sample()
    query.requires_grad_()
    found = energy(query, key)
    assert found.shape == (2, 3, 5)
    found.square().sum().backward()
    for tensor in (query, *energy.parameters()):
        assert torch.isfinite(tensor.grad).all()
        assert (tensor.grad != 0).any()


def test_every_pair_is_judged_alone(energy):
    query, key = sample()
    together = energy(query, key)
    for q in range(3):
        for k in range(5):
            if energy.name == "location":
                continue  # it knows places, not pairs
            alone = energy(query[:, q : q + 1], key[:, k : k + 1])
            assert torch.allclose(alone[:, 0, 0], together[:, q, k], atol=1e-6)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS))
def test_permuting_keys_permutes_weights_except_where_places_count(energy, distribution):
    query, key = sample()
    order = torch.tensor([3, 0, 4, 1, 2])
    everything = torch.ones(2, 1, 5, dtype=torch.bool)
    weights = distribution(energy(query, key), everything)
    permuted = distribution(energy(query, key[:, order]), everything)
    same = torch.allclose(permuted, weights[..., order], atol=1e-6)
    assert same == (energy.name != "location")


def test_perturbing_a_key_changes_its_energy_and_no_other_except_where_places_count(energy):
    query, key = sample()
    moved = key.clone()
    moved[:, 2] += 0.5
    changed = (energy(query, key) != energy(query, moved)).any(dim=1).any(dim=0)
    expected = [False] * 5 if energy.name == "location" else [False, False, True, False, False]
    assert changed.tolist() == expected


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_no_mask_leaks(energy, distribution, dtype):
    query, key = (tensor.to(dtype) for tensor in sample())
    energy = energy.to(dtype)
    value = torch.randn(2, 5, 4, dtype=dtype, requires_grad=True)
    key.requires_grad_()
    weights = distribution(energy(query, key), MASK[:, None])
    assert (weights[~MASK[:, None].expand_as(weights)] == 0).all()
    (weights @ value).square().sum().backward()
    assert (value.grad[~MASK] == 0).all()
    if energy.name != "location":
        assert (key.grad[~MASK] == 0).all()
    # what is masked may be anything at all
    with torch.no_grad():
        other = torch.where(MASK[..., None], key, 1e4)
        assert torch.equal(distribution(energy(query, other), MASK[:, None]), weights)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS))
def test_a_query_without_keys_gets_nothing_and_finite_gradients(energy, distribution):
    query, key = sample()
    key.requires_grad_()
    weights = distribution(energy(query, key), torch.zeros(2, 1, 5, dtype=torch.bool))
    assert (weights == 0).all()
    (weights * torch.arange(5)).sum().backward()
    assert key.grad is None or torch.isfinite(key.grad).all()
