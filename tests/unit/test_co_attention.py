"""Co-attention: one matrix, two softmaxes, and padding on either side does not exist."""

import torch

from seq2bert.attention.co import co_attention, co_weights
from seq2bert.attention.energies import general_energy

FIRST = torch.tensor([[True, True, False], [True, True, True]])
SECOND = torch.tensor([[True, True, True, True], [True, False, False, False]])


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def reading(first, second, first_mask, second_mask):
    affinity = general_energy(first, second, numbers(5, 6, seed=2))
    return co_attention(affinity, first, second, first_mask, second_mask)


def test_two_softmaxes_of_one_matrix_by_hand():
    three = torch.log(torch.tensor(3.0))
    affinity = torch.tensor([[[three, 0.0], [0.0, 0.0]]])
    everything = torch.ones(1, 2, dtype=torch.bool)
    rows, columns = co_weights(affinity, everything, everything)
    assert torch.allclose(rows, torch.tensor([[[0.75, 0.25], [0.5, 0.5]]]))
    assert torch.allclose(columns, torch.tensor([[[0.75, 0.25], [0.5, 0.5]]]))


def test_the_columns_are_the_rows_of_the_transposed_matrix():
    affinity = numbers(2, 3, 4)
    rows, columns = co_weights(affinity, FIRST, SECOND)
    swapped_rows, swapped_columns = co_weights(affinity.transpose(1, 2), SECOND, FIRST)
    assert torch.equal(rows, swapped_columns)
    assert torch.equal(columns, swapped_rows)


def test_each_real_row_sums_to_1_and_each_padded_one_to_0():
    rows, columns = co_weights(numbers(2, 3, 4), FIRST, SECOND)
    assert torch.allclose(rows.sum(dim=-1), FIRST.float())
    assert torch.allclose(columns.sum(dim=-1), SECOND.float())


def test_padding_has_weight_0_and_no_gradient_on_both_sides():
    first = numbers(2, 3, 5).requires_grad_()
    second = numbers(2, 4, 6, seed=1).requires_grad_()
    found = reading(first, second, FIRST, SECOND)
    (found.first.sum() + found.second.sum()).backward()
    assert (found.first_weights[1, :, 1:] == 0).all()
    assert (found.second_weights[0, :, 2] == 0).all()
    assert (first.grad[~FIRST] == 0).all()
    assert (second.grad[~SECOND] == 0).all()
    assert (first.grad[FIRST] != 0).any()


def test_an_empty_sequence_gives_zeros_and_finite_gradients():
    first, second = numbers(1, 3, 5).requires_grad_(), numbers(1, 4, 6).requires_grad_()
    nothing = torch.zeros(1, 4, dtype=torch.bool)
    found = reading(first, second, torch.ones(1, 3, dtype=torch.bool), nothing)
    (found.first.sum() + found.second.sum()).backward()
    assert (found.first == 0).all()
    assert (found.second_weights == 0).all()
    assert (first.grad == 0).all()
    assert (second.grad == 0).all()


def test_a_pair_alone_equals_it_in_a_padded_batch():
    first, second = numbers(2, 3, 5), numbers(2, 4, 6, seed=1)
    together = reading(first, second, FIRST, SECOND)
    alone = reading(first[:1, :2], second[:1], FIRST[:1, :2], SECOND[:1])
    assert torch.allclose(together.first[:1, :2], alone.first, atol=1e-6)
    assert torch.allclose(together.second[:1], alone.second, atol=1e-6)


def test_what_is_read_is_the_weighted_mean_of_the_other_sequence():
    first, second = numbers(2, 3, 5), numbers(2, 4, 6, seed=1)
    found = reading(first, second, FIRST, SECOND)
    assert torch.allclose(found.first, found.first_weights @ second, atol=1e-6)
    assert torch.allclose(found.second, found.second_weights @ first, atol=1e-6)
