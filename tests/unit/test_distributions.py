"""Sparsemax and sigmoid: the same as entmax, with masks, finite whatever the scores."""

import entmax
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax


def everything(energy):
    return torch.ones_like(energy, dtype=torch.bool)


def test_sparsemax_of_a_worked_example():
    # sorted 1.2, 1.0, 0.1: 1 + 2 * 1.0 > 2.2, but 1 + 3 * 0.1 < 2.3; tau = (2.2 - 1) / 2 = 0.6
    energy = torch.tensor([[1.0, 0.1, 1.2]])
    assert torch.allclose(sparsemax(energy, everything(energy)), torch.tensor([[0.4, 0.0, 0.6]]))


def test_sparsemax_of_the_same_with_a_masked_key():
    energy = torch.tensor([[1.0, 50.0, 0.1, 1.2]])
    mask = torch.tensor([[True, False, True, True]])
    assert torch.allclose(sparsemax(energy, mask), torch.tensor([[0.4, 0.0, 0.0, 0.6]]))


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_value_and_gradient_are_those_of_entmax(size, dtype):
    generator = torch.Generator().manual_seed(3)
    energy = torch.randn(20, 4, 9, generator=generator, dtype=torch.float64).to(dtype) * size
    slope = torch.randn(20, 4, 9, generator=generator, dtype=torch.float64).to(dtype)
    ours, theirs = (energy.clone().requires_grad_() for _ in range(2))
    found = sparsemax(ours, everything(energy))
    expected = entmax.sparsemax(theirs, dim=-1)
    assert torch.allclose(found, expected, atol=1e-6)
    (found * slope).sum().backward()
    (expected * slope).sum().backward()
    assert torch.allclose(ours.grad, theirs.grad, atol=1e-6)


def test_a_masked_row_is_the_row_of_its_keys_alone():
    energy = torch.randn(50, 8, generator=torch.Generator().manual_seed(4))
    for row in energy:
        mask = torch.rand(8, generator=torch.Generator().manual_seed(int(row[0] * 1e6))) > 0.4
        if mask.any():
            whole = sparsemax(row[None], mask[None])[0]
            assert torch.allclose(whole[mask], entmax.sparsemax(row[mask][None], dim=-1)[0])
            assert (whole[~mask] == 0).all()


def test_the_gradient_is_right_by_differences():
    energy = torch.randn(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    mask = torch.tensor([True, True, False, True, True, True]).expand(3, 6)
    for distribution in (sparsemax, masked_softmax, masked_sigmoid):
        assert torch.autograd.gradcheck(
            lambda e, g=distribution: g(e, mask), energy.requires_grad_()
        )


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("distribution", [sparsemax, masked_softmax, masked_sigmoid])
def test_scores_of_any_size_give_finite_weights_and_gradients(size, dtype, distribution):
    energy = (torch.randn(5, 7, generator=torch.Generator().manual_seed(6)) * size).to(dtype)
    energy.requires_grad_()
    mask = torch.rand(5, 7, generator=torch.Generator().manual_seed(7)) > 0.3
    mask[0] = False
    weights = distribution(energy, mask)
    assert weights.dtype == dtype
    assert torch.isfinite(weights).all()
    assert (weights[~mask] == 0).all()
    (weights * torch.arange(7)).sum().backward()
    assert torch.isfinite(energy.grad).all()
    assert (energy.grad[~mask] == 0).all()


@pytest.mark.parametrize("value", [1e-8, -3.0, 1e8])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_equal_scores_share_equally(value, count):
    energy = torch.full((2, count), value)
    for distribution in (sparsemax, masked_softmax):
        weights = distribution(energy, everything(energy))
        assert torch.allclose(weights, torch.full((2, count), 1 / count))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(-50, 50), st.booleans()), min_size=1, max_size=12),
    st.floats(-5, 5),
)
def test_sparsemax_lies_on_the_simplex_and_does_not_feel_a_shift(cells, shift):
    energy = torch.tensor([[value for value, _ in cells]], dtype=torch.float64)
    mask = torch.tensor([[may for _, may in cells]])
    weights = sparsemax(energy, mask)
    assert weights.min() >= 0
    assert torch.allclose(weights.sum(), torch.tensor(float(mask.any()), dtype=torch.float64))
    assert torch.allclose(sparsemax(energy + shift, mask), weights, atol=1e-9)


@settings(deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=8))
def test_no_point_of_the_simplex_is_nearer(scores):
    energy = torch.tensor([scores], dtype=torch.float64)
    weights = sparsemax(energy, everything(energy))
    others = torch.distributions.Dirichlet(torch.ones(len(scores), dtype=torch.float64))
    for other in (*others.sample((20,)), *torch.eye(len(scores), dtype=torch.float64)):
        assert (weights - energy).norm() <= (other - energy).norm() + 1e-9


def test_sigmoid_judges_each_key_alone():
    energy = torch.tensor([[0.0, 2.0, -1.0]])
    weights = masked_sigmoid(energy, torch.tensor([[True, True, False]]))
    assert torch.allclose(weights, torch.tensor([[0.5, 0.880797, 0.0]]))


@pytest.mark.parametrize("name", ["sparsemax", "masked_sigmoid", "masked_softmax"])
def test_a_mask_that_does_not_fit_is_refused(unchecked, name):
    distribution = getattr(unchecked("attention.distributions"), name)
    energy = torch.zeros(2, 3, 4)
    with pytest.raises(ValueError, match="expected bool"):
        distribution(energy, torch.ones(2, 3, 4))
    with pytest.raises(ValueError, match="must broadcast"):
        distribution(energy, torch.ones(2, 5, 4, dtype=torch.bool))
