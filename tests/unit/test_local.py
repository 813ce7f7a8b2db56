"""Local attention: windows, sentence ends, true lengths, and the same result at a lower price."""

import math

import pytest
import torch

from seq2bert.attention import dot_energy, masked_softmax
from seq2bert.attention.local import (
    PredictedCentre,
    bell,
    gathered_attention,
    monotonic_weights,
    predicted_centre,
    predictive_weights,
    window,
)

LENGTHS = [5, 3, 0]
MASK = torch.arange(5) < torch.tensor(LENGTHS)[:, None]
FAR = 2.0**20  # a window that covers everything; a bell so wide that it is 1


def energies(queries=4):
    return torch.randn(3, queries, 5, generator=torch.Generator().manual_seed(0))


def moving(queries=4):
    return torch.arange(float(queries)).expand(3, queries)


def test_a_window_by_hand():
    centre = torch.tensor([[0.0, 2.0, 2.5, 9.0]])
    assert window(centre, torch.ones(1, 5, dtype=torch.bool), 1)[0].int().tolist() == [
        [1, 1, 0, 0, 0],
        [0, 1, 1, 1, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0],
    ]


def test_a_window_ends_where_the_sentence_ends():
    seen = window(torch.full((3, 1), 3.0), MASK, 2)[:, 0]
    assert seen.int().tolist() == [[0, 1, 1, 1, 1], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]


def test_a_window_that_covers_everything_is_global_attention():
    globally = masked_softmax(energies(), MASK[:, None])
    assert torch.equal(monotonic_weights(energies(), MASK, moving(), FAR), globally)
    assert torch.equal(predictive_weights(energies(), MASK, moving(), FAR), globally)


def test_outside_of_the_window_weights_and_gradients_are_0():
    for share in (monotonic_weights, predictive_weights):
        energy = energies().requires_grad_()
        weights = share(energy, MASK, moving(), 1)
        (weights * torch.randn(3, 4, 5)).sum().backward()
        outside = ~window(moving(), MASK, 1)
        assert (weights[outside] == 0).all()
        assert (energy.grad[outside] == 0).all()
        assert torch.isfinite(energy.grad).all()


def test_a_row_of_local_m_sums_to_1_or_sees_nothing():
    sums = monotonic_weights(energies(), MASK, moving(), 0).sum(-1)
    assert sums.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]]


def test_a_row_of_local_p_sums_to_less_than_1():
    energy = torch.zeros(1, 1, 5)
    weights = predictive_weights(energy, MASK[:1], torch.tensor([[2.0]]), 2)
    rim, near = math.exp(-2), math.exp(-0.5)
    expected = torch.tensor([rim, near, 1, near, rim]) / 5
    assert torch.allclose(weights[0, 0], expected)
    assert weights.sum() < 0.7


def test_the_bell_is_1_in_the_middle_and_e_to_the_minus_2_at_the_rim():
    found = bell(torch.tensor([[3.0]]), 7, reach=3)[0, 0]
    assert found[3] == 1
    assert torch.allclose(found[[0, 6]], torch.tensor(math.exp(-2)))


def test_the_predicted_centre_by_hand():
    query = torch.tensor([[[1.0, -1.0]]])
    weight, vector = torch.tensor([[0.5, 0.0], [0.0, 2.0]]), torch.tensor([1.0, -1.0])
    inside = math.tanh(0.5) - math.tanh(-2.0)
    expected = 6 / (1 + math.exp(-inside))
    found = predicted_centre(query, torch.tensor([6]), weight, vector)
    assert found.item() == pytest.approx(expected, rel=1e-6)


def test_the_predicted_centre_does_not_count_padding():
    torch.manual_seed(0)
    module, query = PredictedCentre(4, 3), torch.randn(3, 2, 4)
    padded = module(query, MASK)
    for row, length in enumerate(LENGTHS):
        alone = module(query[row : row + 1], MASK[row : row + 1, :length])
        assert torch.allclose(padded[row], alone[0])
        assert (padded[row] <= length).all()


def test_the_predicted_centre_learns_through_the_bell():
    torch.manual_seed(0)
    module, query = PredictedCentre(4, 3), torch.randn(3, 4, 4)
    weights = predictive_weights(energies(), MASK, module(query, MASK), 2)
    weights[..., 0].sum().backward()
    assert (module.weight.grad != 0).any()
    assert (module.vector.grad != 0).any()


@pytest.mark.parametrize("reach", [0, 1, 2, 9])
@pytest.mark.parametrize("shift", [0.0, 0.4, -0.5, 20.0])
def test_picking_out_the_window_gives_what_masking_gives(reach, shift):
    chance = torch.Generator().manual_seed(1)
    query, key = torch.randn(3, 4, 6, generator=chance), torch.randn(3, 5, 6, generator=chance)
    value, centre = torch.randn(3, 5, 2, generator=chance), moving() + shift
    weights = monotonic_weights(dot_energy(query, key), MASK, centre, reach)
    picked = gathered_attention(query, key, value, MASK, centre, reach)
    assert torch.allclose(picked, weights @ value, atol=1e-6)


def test_the_context_of_local_p_jumps_when_a_key_enters_the_window():
    """Differentiable almost everywhere, as the paper says; not at the rim."""
    energy, mask = torch.zeros(1, 1, 5), MASK[:1]
    before, after = (
        predictive_weights(energy, mask, torch.tensor([[1.0 + step]]), 2)[0, 0]
        for step in (-1e-4, 1e-4)
    )
    # below 1 the window holds the keys 0, 1 and 2; above, the key 3 too
    assert (after - before).abs().max() > 0.03
    same = predictive_weights(energy, mask, torch.tensor([[1.0 + 2e-4]]), 2)[0, 0]
    assert (same - after).abs().max() < 1e-3


def test_a_negative_reach_is_refused():
    with pytest.raises(ValueError, match="the reach is -1; expected 0 or more"):
        window(moving(), MASK, -1)


@pytest.mark.parametrize("reach", [0, -2])
def test_a_bell_without_a_width_is_refused(reach):
    with pytest.raises(ValueError, match=f"the reach is {reach}; the width of the bell"):
        bell(moving(), 5, reach)
