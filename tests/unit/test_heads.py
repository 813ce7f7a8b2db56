"""Several heads: the same as torch.nn.MultiheadAttention, and masked keys do not exist."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from seq2bert.attention.heads import (
    MultiHeadAttention,
    join_heads,
    scaled_dot_attention,
    split_heads,
)


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def ours():
    torch.manual_seed(1)
    return MultiHeadAttention(8, heads=2)


@pytest.fixture
def torchs(ours):
    theirs = nn.MultiheadAttention(8, 2, batch_first=True)
    layers = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([layer.weight.data for layer in layers])
    theirs.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers])
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return theirs


@pytest.fixture
def mask():
    return torch.tensor([[True, True, True, False, False], [True, True, True, True, True]])


def test_equal_to_torchs_with_copied_weights_in_output_and_weights_of_each_head(ours, torchs, mask):
    query, memory = numbers(2, 3, 8), numbers(2, 5, 8, seed=1)
    output, weights = ours(query, memory, memory, mask[:, None])
    expected, expected_weights = torchs(
        query, memory, memory, key_padding_mask=~mask, average_attn_weights=False
    )
    assert torch.allclose(output, expected, atol=1e-6)
    assert torch.allclose(weights, expected_weights, atol=1e-6)


def test_equal_to_torchs_in_all_gradients(ours, torchs, mask):
    query, memory = numbers(2, 3, 8), numbers(2, 5, 8, seed=1)
    slope = numbers(2, 3, 8, seed=2)
    (ours(query, memory, memory, mask[:, None])[0] * slope).sum().backward()
    (torchs(query, memory, memory, key_padding_mask=~mask)[0] * slope).sum().backward()
    ours_in = torch.cat([layer.weight.grad for layer in (ours.query, ours.key, ours.value)])
    assert torch.allclose(ours_in, torchs.in_proj_weight.grad, atol=1e-5)
    assert torch.allclose(ours.output.weight.grad, torchs.out_proj.weight.grad, atol=1e-5)


def test_a_mask_of_each_query_is_torchs_attention_mask(ours, torchs):
    words = numbers(2, 4, 8)
    earlier = torch.ones(4, 4, dtype=torch.bool).tril()
    output, _ = ours(words, words, words, earlier.expand(2, 4, 4))
    expected, _ = torchs(words, words, words, attn_mask=~earlier)
    assert torch.allclose(output, expected, atol=1e-6)


def test_one_head_is_attention_of_the_projections():
    torch.manual_seed(2)
    one = MultiHeadAttention(6, heads=1)
    query, memory = numbers(1, 2, 6), numbers(1, 3, 6, seed=1)
    allowed = torch.ones(1, 1, 3, dtype=torch.bool)
    expected = functional.scaled_dot_product_attention(
        one.query(query), one.key(memory), one.value(memory)
    )
    assert torch.allclose(one(query, memory, memory, allowed)[0], one.output(expected), atol=1e-6)


def test_attention_of_two_keys_by_hand():
    # energies 2 ln 3 / sqrt(4) = ln 3 and 0, weights 3/4 and 1/4
    query = torch.tensor([[torch.log(torch.tensor(3.0)), 0.0, 0.0, 0.0]])
    key = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    context, weights = scaled_dot_attention(
        query, key, torch.tensor([[8.0], [4.0]]), torch.ones(1, 2, dtype=torch.bool)
    )
    assert torch.allclose(weights, torch.tensor([[0.75, 0.25]]))
    assert torch.allclose(context, torch.tensor([[7.0]]))


def test_the_first_head_gets_the_first_numbers_of_each_vector():
    vectors = torch.arange(12.0).view(1, 3, 4)
    assert split_heads(vectors, 2)[0, 0].tolist() == [[0, 1], [4, 5], [8, 9]]
    assert torch.equal(join_heads(split_heads(vectors, 2)), vectors)


def test_masked_keys_have_weight_0_and_no_gradient(ours, mask):
    memory = numbers(2, 5, 8, seed=1).requires_grad_()
    output, weights = ours(numbers(2, 3, 8), memory, memory, mask[:, None])
    output.sum().backward()
    assert (weights[0, :, :, 3:] == 0).all()
    assert (memory.grad[0, 3:] == 0).all()
    assert (memory.grad[0, :3] != 0).any()


def test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients(ours):
    memory = numbers(1, 3, 8).requires_grad_()
    nothing = torch.zeros(1, 1, 3, dtype=torch.bool)
    output, weights = ours(numbers(1, 2, 8), memory, memory, nothing)
    output.sum().backward()
    assert (weights == 0).all()
    assert torch.allclose(output, ours.output.bias.expand(1, 2, 8))
    assert (memory.grad == 0).all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in ours.parameters())


def test_alone_equals_in_a_padded_batch(ours, mask):
    query, memory = numbers(2, 3, 8), numbers(2, 5, 8, seed=1)
    together, _ = ours(query, memory, memory, mask[:, None])
    alone, _ = ours(query[:1], memory[:1, :3], memory[:1, :3], mask[:1, None, :3])
    assert torch.allclose(together[:1], alone, atol=1e-6)


@pytest.mark.parametrize("heads", [0, 3])
def test_a_number_of_heads_that_does_not_divide_the_width_is_refused(heads):
    with pytest.raises(ValueError, match=f"{heads} heads for a width of 8"):
        MultiHeadAttention(8, heads)
    with pytest.raises(ValueError, match=f"{heads} heads for vectors 8 wide"):
        split_heads(torch.zeros(1, 2, 8), heads)
