"""Additive attention and the masked softmax."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from seq2bert.attention import AdditiveAttention, additive_energy, masked_softmax

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def test_softmax_of_a_worked_example():
    energy = torch.tensor([[0.0, math.log(3.0), 100.0]])
    mask = torch.tensor([[True, True, False]])
    assert torch.allclose(masked_softmax(energy, mask), torch.tensor([[0.25, 0.75, 0.0]]))


def test_without_masked_keys_it_is_torch_softmax():
    energy = torch.randn(2, 3, 4, 5)
    assert torch.equal(
        masked_softmax(energy, torch.ones(2, 1, 4, 5, dtype=torch.bool)), energy.softmax(-1)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_masked_keys_get_exactly_zero_in_every_dtype(dtype, size):
    energy = (torch.randn(4, 6, generator=torch.Generator().manual_seed(1)) * size).to(dtype)
    mask = torch.tensor([True, False, True, True, False, False]).expand(4, 6)
    weights = masked_softmax(energy, mask)
    assert (weights[~mask] == 0.0).all()
    assert torch.allclose(weights.double().sum(-1), torch.ones(4, dtype=torch.double), atol=1e-2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_without_keys_is_zero_and_its_gradient_is_finite(dtype):
    energy = torch.randn(2, 3, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = masked_softmax(energy, mask)
    (weights * torch.arange(3)).sum().backward()
    assert (weights[1] == 0.0).all()
    assert torch.isfinite(energy.grad).all()
    assert (energy.grad[1] == 0).all()


def test_masked_energy_may_be_nan_or_infinite_without_harm():
    energy = torch.tensor([[1.0, math.inf, math.nan]])
    weights = masked_softmax(energy, torch.tensor([[True, False, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.booleans()), min_size=1, max_size=12))
def test_rows_sum_to_one_or_to_zero(cells):
    energy = torch.tensor([[value for value, _ in cells]], dtype=torch.float64)
    mask = torch.tensor([[may for _, may in cells]])
    weights = masked_softmax(energy, mask)
    assert weights.sum().item() == pytest.approx(1.0 if mask.any() else 0.0)
    assert (weights[~mask] == 0).all()


def test_mask_has_columns_for_padding_not_rows():
    """The pad is the last key: every query loses that column, no query loses its row."""
    mask = torch.tensor([True, True, True, True, False]).view(1, 1, 5)
    weights = masked_softmax(torch.zeros(1, 5, 5), mask)
    assert (weights[0, :, 4] == 0).all()
    assert torch.allclose(weights[0, :, :4], torch.full((5, 4), 0.25))


def test_additive_energy_of_a_worked_example():
    query, key = torch.tensor([[0.5, 0.0]]), torch.tensor([[0.0, 1.0], [-0.5, 2.0]])
    energy = additive_energy(query, key, torch.tensor([2.0, 1.0]))
    expected = [[2 * math.tanh(0.5) + math.tanh(1.0), 2 * math.tanh(0.0) + math.tanh(2.0)]]
    assert torch.allclose(energy, torch.tensor(expected))


def attend(attention, query, annotations, mask):
    return attention(query, attention.key(annotations), annotations, mask)


@pytest.fixture
def attention():
    torch.manual_seed(0)
    return AdditiveAttention(query_size=3, key_size=4, energy_size=5)


def test_attention_equals_a_loop_over_keys(attention):
    query, annotations = torch.randn(2, 1, 3), torch.randn(2, 6, 4)
    context, weights = attend(attention, query, annotations, torch.ones(2, 1, 6, dtype=torch.bool))
    w, b = attention.query.weight, attention.query.bias
    for row in range(2):
        scores = [
            attention.vector @ torch.tanh(w @ query[row, 0] + b + attention.key.weight @ h)
            for h in annotations[row]
        ]
        expected = torch.softmax(torch.stack(scores), 0)
        assert torch.allclose(weights[row, 0], expected, atol=1e-6)
        assert torch.allclose(context[row, 0], expected @ annotations[row], atol=1e-6)


def test_weights_depend_on_the_annotations_and_move_with_them(attention):
    query, annotations = torch.randn(1, 1, 3), torch.randn(1, 5, 4)
    mask = torch.ones(1, 1, 5, dtype=torch.bool)
    _, weights = attend(attention, query, annotations, mask)
    _, perturbed = attend(attention, query, annotations + torch.randn_like(annotations), mask)
    order = torch.tensor([3, 0, 4, 1, 2])
    _, permuted = attend(attention, query, annotations[:, order], mask)
    assert not torch.allclose(weights, perturbed, atol=1e-3)
    assert torch.allclose(weights[..., order], permuted, atol=1e-6)


def test_padding_changes_nothing(attention):
    query, annotations = torch.randn(1, 2, 3), torch.randn(1, 4, 4)
    mask = torch.ones(1, 1, 4, dtype=torch.bool)
    context, weights = attend(attention, query, annotations, mask)
    padded = torch.cat([annotations, torch.full((1, 3, 4), 99.0)], dim=1)
    longer = torch.cat([mask, torch.zeros(1, 1, 3, dtype=torch.bool)], dim=2)
    padded_context, padded_weights = attend(attention, query, padded, longer)
    assert torch.allclose(context, padded_context, atol=1e-6)
    assert (padded_weights[..., 4:] == 0).all()
    assert torch.allclose(weights, padded_weights[..., :4], atol=1e-6)


def test_scale_zero_attends_to_all_alike_and_a_large_one_to_a_single_key(attention):
    query, annotations = torch.randn(1, 1, 3), torch.randn(1, 4, 4)
    key, mask = attention.key(annotations), torch.ones(1, 1, 4, dtype=torch.bool)
    _, uniform = attention(query, key, annotations, mask, scale=0.0)
    _, hard = attention(query, key, annotations, mask, scale=1e4)
    assert torch.allclose(uniform, torch.full((1, 1, 4), 0.25))
    assert hard.max().item() == pytest.approx(1.0)


def test_gradients_reach_every_part(attention):
    annotations = torch.randn(1, 4, 4, requires_grad=True)
    context, _ = attend(
        attention, torch.randn(1, 1, 3), annotations, torch.ones(1, 1, 4, dtype=torch.bool)
    )
    context.sum().backward()
    assert annotations.grad.abs().sum() > 0
    assert all(p.grad.abs().sum() > 0 for p in attention.parameters())


def test_wrong_shapes_are_refused_with_a_reason(unchecked):
    plain = unchecked("attention.distributions")
    energy, keys = torch.zeros(2, 3, 5), torch.zeros(2, 5, 4)
    for mask in (torch.ones(3, 5), torch.ones(2, 3, 5).int()):
        with pytest.raises(ValueError, match=r"expected bool"):
            plain.masked_softmax(energy, mask)
    for shape in [(2, 5), (2, 3, 4), (1, 2, 3, 5), (5, 3)]:
        with pytest.raises(ValueError, match=r"mask has the shape .* must broadcast"):
            plain.masked_softmax(energy, torch.ones(shape, dtype=torch.bool))
    plain = unchecked("attention.energies")
    with pytest.raises(ValueError, match="3, 4 and 3 wide"):
        plain.additive_energy(torch.zeros(2, 1, 3), keys, torch.zeros(3))
    attention = unchecked("attention.soft").AdditiveAttention(
        query_size=3, key_size=4, energy_size=4
    )
    mask = torch.ones(2, 1, 5, dtype=torch.bool)
    with pytest.raises(ValueError, match="one value for each key"):
        attention(torch.zeros(2, 1, 3), keys, torch.zeros(2, 6, 4), mask)


def test_wrong_types_are_refused_by_the_shape_check_of_the_tests():
    from jaxtyping import TypeCheckError

    with pytest.raises(TypeCheckError):
        masked_softmax(torch.zeros(2, 3), torch.ones(4, 3, dtype=torch.bool))


def test_it_is_a_module_with_three_parts():
    assert isinstance(AdditiveAttention(1, 1, 1), nn.Module)
    names = dict(AdditiveAttention(2, 3, 4).named_parameters())
    assert set(names) == {"query.weight", "query.bias", "key.weight", "vector"}
