"""Chains, ways and multiplications: counted on networks small enough to count by hand."""

import math

import pytest
import torch
from torch import nn

from seq2bert.attention.heads import MultiHeadAttention
from seq2bert.cells import LSTMCell, unroll
from seq2bert.path_lengths import (
    attention_flops,
    flops,
    input_gradient,
    is_matrix_product,
    longest_chain,
    lstm_flops,
    numbers_passed_on,
    path_length,
    products_in_a_row,
    steps_in_a_row,
    tolls,
)

WIDTH = 4


def vectors(length, width=WIDTH):
    chance = torch.Generator().manual_seed(0)
    return torch.randn(1, length, width, generator=chance, dtype=torch.float64)


def ones_mask(words):
    return torch.ones(len(words), 1, words.shape[1], dtype=torch.bool)


@pytest.fixture
def lstm():
    torch.manual_seed(0)
    cell = LSTMCell(WIDTH, WIDTH).double()
    return lambda words: unroll(cell, words)[0], [cell]


@pytest.fixture
def attention():
    torch.manual_seed(0)
    layers = nn.ModuleList(MultiHeadAttention(WIDTH, heads=2) for _ in range(2)).double()

    def read(words):
        for layer in layers:
            words = words + layer(words, words, words, ones_mask(words))[0]
        return words

    return read, list(layers)


def test_the_longest_of_two_branches_counts():
    x = torch.ones(2, 2, requires_grad=True)
    long, short = x @ x @ x, x @ x
    assert longest_chain(long + short, is_matrix_product) == 2


def test_operations_that_are_not_counted_may_stand_between():
    x = torch.ones(2, 2, requires_grad=True)
    assert longest_chain((x @ x).tanh().exp() @ x, is_matrix_product) == 2


@pytest.mark.parametrize(
    "product",
    [
        lambda x: x @ x,
        lambda x: torch.bmm(x[None], x[None]),
        lambda x: nn.functional.linear(x, x, x[0]),
        lambda x: torch.mv(x, x[0]),
    ],
)
def test_every_kind_of_matrix_product_is_one(product):
    assert longest_chain(product(torch.ones(2, 2, requires_grad=True)), is_matrix_product) == 1


def test_a_sum_is_no_matrix_product():
    assert longest_chain(torch.ones(2, requires_grad=True) + 1, is_matrix_product) == 0


def test_a_chain_of_a_thousand_steps_does_not_exhaust_the_stack():
    x = torch.ones(1, 1, requires_grad=True)
    y = x
    for _ in range(2_000):
        y = y @ x
    assert longest_chain(y, is_matrix_product) == 2_000


def test_a_result_without_a_graph_is_refused():
    with pytest.raises(ValueError, match="no grad_fn"):
        longest_chain(torch.ones(1), is_matrix_product)


@pytest.mark.parametrize("length", [1, 8, 20])
def test_an_lstm_takes_a_step_and_a_product_for_each_word(lstm, length):
    read, steps = lstm
    assert steps_in_a_row(read, steps, vectors(length)) == length
    assert products_in_a_row(read, vectors(length)) == length


@pytest.mark.parametrize("length", [2, 8, 20])
def test_two_layers_take_two_steps_and_eight_products_whatever_the_length(attention, length):
    # in each layer: a projection, queries with keys, weights with values, the output matrix
    read, steps = attention
    assert steps_in_a_row(read, steps, vectors(length)) == 2
    assert products_in_a_row(read, vectors(length)) == 8


@pytest.mark.parametrize(("source", "target", "steps"), [(0, 5, 6), (3, 5, 3), (5, 5, 1)])
def test_between_words_an_lstm_has_a_step_for_each_state(lstm, source, target, steps):
    assert path_length(*lstm, vectors(6), source, target) == steps


@pytest.mark.parametrize(("source", "target"), [(0, 5), (5, 0), (2, 3)])
def test_between_two_words_self_attention_has_one_step(attention, source, target):
    assert path_length(*attention, vectors(6), source, target) == 1


def test_a_residual_leads_past_the_steps(attention):
    assert path_length(*attention, vectors(6), 2, 2) == 0


def test_no_way_leads_backwards_in_an_lstm(lstm):
    assert path_length(*lstm, vectors(6), 5, 0) == math.inf


def test_a_way_that_is_too_long_for_its_toll_is_refused(lstm):
    with pytest.raises(ValueError, match="shorter way"):
        path_length(*lstm, vectors(150), 0, 149)


def test_a_toll_multiplies_the_gradient_and_leaves_the_result():
    layer, x = nn.Linear(1, 1), torch.ones(1, requires_grad=True)
    with tolls([layer], 0.5):
        y = layer(x)
    y.backward()
    assert torch.equal(y, layer(x))
    assert torch.equal(x.grad, 0.5 * layer.weight[0])


def test_no_toll_is_left_behind_after_an_error():
    layer = nn.Linear(1, 1)
    with pytest.raises(RuntimeError), tolls([layer], 0.5):
        layer(torch.ones(3))
    x = torch.ones(1, requires_grad=True)
    layer(x).backward()
    assert torch.equal(x.grad, layer.weight[0])


@pytest.mark.parametrize(("words", "width"), [(2, 8), (5, 4), (32, 16)])
def test_the_formulas_count_what_torch_counts(words, width):
    layer, cell = MultiHeadAttention(width, heads=2), LSTMCell(width, width)
    x = vectors(words, width).float()
    assert flops(lambda: layer(x, x, x, ones_mask(x))) == attention_flops(words, width)
    assert flops(lambda: unroll(cell, x)) == lstm_flops(words, width)


def test_the_gradient_of_a_matrix_is_its_spectral_norm():
    matrix = torch.diag(torch.tensor([1.0, -3.0, 2.0, 0.5], dtype=torch.float64))

    def read(words):
        return (words @ matrix).cumsum(dim=1)

    assert math.isclose(input_gradient(read, vectors(5)), 3.0)


def test_an_lstm_passes_on_its_state_and_its_memory_and_no_more(lstm):
    assert numbers_passed_on(lstm[0], vectors(16), cut=8) == 2 * WIDTH


def test_self_attention_passes_on_more_numbers_the_more_words_there_are(attention):
    assert numbers_passed_on(attention[0], vectors(8), cut=4) == 4 * WIDTH
    assert numbers_passed_on(attention[0], vectors(16), cut=8) == 8 * WIDTH


@pytest.mark.parametrize("cut", [0, 4])
def test_a_cut_with_nothing_on_one_side_is_refused(attention, cut):
    with pytest.raises(ValueError, match=f"cut at {cut} of 4"):
        numbers_passed_on(attention[0], vectors(4), cut)
