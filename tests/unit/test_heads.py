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


# Against torch on copied weights, in each combination of masks in which every query has a key.


def padding(batch, queries, keys):
    """Sentence i has keys - i words, at least one."""
    real = (keys - torch.arange(batch)).clamp_min(1)
    return (torch.arange(keys) < real[:, None])[:, None].expand(batch, queries, keys)


def causal(batch, queries, keys):
    """The first query stands at the place of the first key."""
    return torch.ones(queries, keys, dtype=torch.bool).tril().expand(batch, queries, keys)


MASKS = {
    "none": lambda *shape: torch.ones(shape, dtype=torch.bool),
    "padding": padding,
    "causal": causal,
    "both": lambda *shape: padding(*shape) & causal(*shape),
}
# (batch, heads, queries, keys); where batch and heads are one number, a mask that broadcasts along
# the wrong axis raises nothing
SHAPES = [(3, 2, 4, 4), (2, 2, 3, 5), (4, 4, 5, 3), (2, 2, 2, 2), (1, 4, 6, 6)]
PRECISIONS = [
    pytest.param(torch.float32, 1e-5, id="float32"),
    # eight bits: the two add up in another order
    pytest.param(torch.bfloat16, 4e-2, id="bfloat16"),
]


@pytest.fixture(params=MASKS)
def mask_of(request):
    return MASKS[request.param]


@pytest.fixture(params=SHAPES, ids=lambda shape: "b{}h{}q{}k{}".format(*shape))
def shape(request):
    return request.param


def copied(heads, width, dtype):
    """Ours and torch's with the same weights."""
    torch.manual_seed(3)
    ours = MultiHeadAttention(width, heads).to(dtype)
    theirs = nn.MultiheadAttention(width, heads, batch_first=True).to(dtype)
    layers = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([layer.weight.data for layer in layers])
    theirs.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers])
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return ours, theirs


def torchs_answer(theirs, heads, query, key, value, mask):
    """With one mask for each sentence and head, in torch's order: sentence by sentence."""
    return theirs(
        query,
        key,
        value,
        attn_mask=~mask.repeat_interleave(heads, dim=0),
        average_attn_weights=False,
    )


def sdpa_answer(ours, query, key, value, mask):
    """The same layer, its middle by scaled_dot_product_attention."""
    pieces = [
        split_heads(layer(vectors), ours.heads)
        for layer, vectors in ((ours.query, query), (ours.key, key), (ours.value, value))
    ]
    read = functional.scaled_dot_product_attention(*pieces, attn_mask=mask[:, None])
    return ours.output(join_heads(read))


def inputs(batch, queries, keys, width, dtype):
    """Different vectors for query, key and value, so that none can stand for another."""
    lengths = (queries, keys, keys)
    return [
        numbers(batch, length, width, seed=seed).to(dtype).requires_grad_()
        for seed, length in enumerate(lengths)
    ]


def gradients(output, wanted):
    slope = numbers(*output.shape, seed=9).to(output.dtype)
    return torch.autograd.grad((output * slope).sum(), wanted)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_forward_equals_torchs_layer(mask_of, shape, dtype, tolerance):
    batch, heads, queries, keys = shape
    ours, theirs = copied(heads, 8, dtype)
    three, mask = inputs(batch, queries, keys, 8, dtype), mask_of(batch, queries, keys)
    output, weights = ours(*three, mask)
    expected, expected_weights = torchs_answer(theirs, heads, *three, mask)
    assert output.dtype == weights.dtype == dtype
    torch.testing.assert_close(output, expected, rtol=0, atol=tolerance)
    torch.testing.assert_close(weights, expected_weights, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_forward_equals_sdpa(mask_of, shape, dtype, tolerance):
    batch, heads, queries, keys = shape
    ours, _ = copied(heads, 8, dtype)
    three, mask = inputs(batch, queries, keys, 8, dtype), mask_of(batch, queries, keys)
    expected = sdpa_answer(ours, *three, mask)
    torch.testing.assert_close(ours(*three, mask)[0], expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_gradients_of_weights_and_inputs_equal_torchs(mask_of, shape, dtype, tolerance):
    batch, heads, queries, keys = shape
    ours, theirs = copied(heads, 8, dtype)
    three, mask = inputs(batch, queries, keys, 8, dtype), mask_of(batch, queries, keys)
    layers = (ours.query, ours.key, ours.value)
    of_ours = gradients(
        ours(*three, mask)[0], [*three, *(p.weight for p in layers), ours.output.weight]
    )
    *of_three, of_in, of_out = gradients(
        torchs_answer(theirs, heads, *three, mask)[0],
        [*three, theirs.in_proj_weight, theirs.out_proj.weight],
    )
    for found, expected in zip(of_ours, [*of_three, *of_in.chunk(3), of_out], strict=True):
        largest = expected.abs().max().clamp_min(1)
        torch.testing.assert_close(found / largest, expected / largest, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_gradients_of_the_inputs_equal_those_through_sdpa(mask_of, shape, dtype, tolerance):
    batch, heads, queries, keys = shape
    ours, _ = copied(heads, 8, dtype)
    three, mask = inputs(batch, queries, keys, 8, dtype), mask_of(batch, queries, keys)
    of_ours = gradients(ours(*three, mask)[0], three)
    of_sdpa = gradients(sdpa_answer(ours, *three, mask), three)
    for found, expected in zip(of_ours, of_sdpa, strict=True):
        largest = expected.abs().max().clamp_min(1)
        torch.testing.assert_close(found / largest, expected / largest, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_energies_a_hundred_thousand_times_as_large_leave_masked_weights_exactly_0(mask_of, dtype):
    ours, _ = copied(2, 8, dtype)
    ours.query.weight.data *= 1e5
    three, mask = inputs(2, 4, 4, 8, dtype), mask_of(2, 4, 4)
    output, weights = ours(*three, mask)
    assert (weights.masked_select(~mask[:, None]) == 0).all()
    assert output.isfinite().all()
    assert all(gradient.isfinite().all() for gradient in gradients(output, three))


def test_with_as_many_sentences_as_heads_each_sentence_has_its_own_mask():
    ours, _ = copied(2, 8, torch.float32)
    words = numbers(2, 4, 8)
    mask = torch.tensor([[True, False, False, False], [True, True, True, True]])
    _, weights = ours(words, words, words, mask[:, None])
    assert (weights[0, :, :, 0] == 1).all()
    assert (weights[1] > 0).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_empty_row_among_others_is_0_and_leaves_the_others_as_torch_has_them(dtype):
    # torch gives NaN or 0 for an empty row, by its path and version; ours is always 0
    ours, _ = copied(2, 8, dtype)
    three, mask = inputs(2, 3, 4, 8, dtype), MASKS["none"](2, 3, 4).clone()
    mask[0, 1] = False
    output, weights = ours(*three, mask)
    assert (weights[0, :, 1] == 0).all()
    assert torch.equal(output[0, 1], ours.output.bias)
    filled = mask.clone()
    filled[0, 1] = True
    others = torch.ones(2, 3, dtype=torch.bool)
    others[0, 1] = False
    expected = sdpa_answer(ours, *three, filled)[others]
    torch.testing.assert_close(output[others], expected, rtol=0, atol=4e-2)
    assert all(gradient.isfinite().all() for gradient in gradients(output, three))
