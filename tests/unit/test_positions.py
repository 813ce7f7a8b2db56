"""Positions: fixed numbers, what depends on the distance alone, and where a table ends."""

import math

import pytest
import torch

from seq2bert.positions import (
    LearnedPositions,
    RelativeBias,
    alibi,
    distances,
    rotary,
    sinusoidal,
)


def test_sinusoidal_by_hand():
    vectors = sinusoidal(3, 4)
    expected = [math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)]
    assert vectors[2].tolist() == pytest.approx(expected, abs=1e-6)
    assert vectors[0].tolist() == [0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("width", [1, 2, 3, 7, 64])
def test_sinusoidal_in_any_width(width):
    vectors = sinusoidal(9, width)
    assert vectors.shape == (9, width)
    assert torch.equal(vectors[:, 0], torch.arange(9).sin())


def test_inner_products_of_sinusoidal_vectors_depend_on_the_distance_alone():
    vectors = sinusoidal(40, 32).double()
    products = vectors @ vectors.T
    for distance in (0, 1, 7, 20):
        diagonal = products.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-5)


def test_a_longer_table_begins_with_the_shorter_one():
    assert torch.equal(sinusoidal(50, 16)[:20], sinusoidal(20, 16))


@pytest.mark.parametrize(("length", "width", "base"), [(0, 4, 1e4), (4, 0, 1e4), (4, 4, 1.0)])
def test_sinusoidal_refuses_what_makes_no_sense(length, width, base):
    with pytest.raises(ValueError, match="expected"):
        sinusoidal(length, width, base)


def test_learned_positions_go_on_from_a_start():
    table = LearnedPositions(10, 4)
    assert torch.equal(table(3, start=5), table(10)[5:8])


def test_learned_positions_end_where_their_table_ends():
    table = LearnedPositions(10, 4)
    assert table(10).shape == (10, 4)
    for length, start in ((11, 0), (1, 10), (1, -1)):
        with pytest.raises(ValueError, match="0 to 9 were learned"):
            table(length, start)


def test_distances_by_hand():
    assert distances(2, 3).tolist() == [[0, 1, 2], [-1, 0, 1]]
    assert distances(1, 3, start=2).tolist() == [[-2, -1, 0]]


def test_relative_bias_looks_a_distance_up_and_cuts_off_what_is_further():
    relative = RelativeBias(heads=2, furthest=2)
    with torch.no_grad():
        relative.bias.copy_(torch.arange(10.0).view(2, 5))
    bias = relative(5, 5)
    assert bias[0, 2].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert bias[1, 0].tolist() == [7.0, 8.0, 9.0, 9.0, 9.0]
    assert torch.equal(relative(1, 5, start=3), bias[:, 3:4])


def test_alibi_by_hand():
    bias = alibi(heads=8, queries=3, keys=3)
    assert bias[0].tolist() == [[0.0, -0.5, -1.0], [-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    assert bias[7, 0, 1] == -(2.0**-8)
    assert torch.equal(alibi(4, 1, 6, start=5), alibi(4, 6, 6)[:, 5:])


def test_rotary_by_hand():
    turned = rotary(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    assert turned[0].tolist() == [1.0, 0.0]
    assert turned[1].tolist() == pytest.approx([math.cos(1), math.sin(1)])


def test_rotary_energies_depend_on_the_distance_alone():
    torch.manual_seed(0)
    query, key = torch.randn(2, 16, dtype=torch.double)
    energy = rotary(query.expand(30, -1)) @ rotary(key.expand(30, -1)).T
    for distance in (-9, 0, 4):
        diagonal = energy.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-5)
    assert not torch.allclose(energy[0, 1], energy[1, 0])


def test_rotary_keeps_lengths_and_goes_on_from_a_start():
    torch.manual_seed(0)
    vectors = torch.randn(2, 3, 8, 6)
    turned = rotary(vectors)
    assert torch.allclose(turned.norm(dim=-1), vectors.norm(dim=-1), atol=1e-5)
    assert torch.allclose(rotary(vectors[:, :, 5:], start=5), turned[:, :, 5:], atol=1e-6)


def test_rotary_needs_pairs():
    with pytest.raises(ValueError, match="5 features"):
        rotary(torch.zeros(3, 5))
