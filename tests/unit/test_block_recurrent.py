"""The block-recurrent cell: any cut gives the same, nothing looks ahead, padding is not there."""

import pytest
import torch
from torch import nn

from seq2bert.attention.block_recurrent import BlockRecurrentCell, FixedGate, LSTMGate

WIDTH, BLOCK = 8, 4
GATES = [LSTMGate, FixedGate]


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def made(gate=LSTMGate, slots=3):
    torch.manual_seed(1)
    cell = BlockRecurrentCell(WIDTH, heads=2, block=BLOCK, slots=slots, gate=gate)
    nn.init.normal_(cell.bias.bias)
    return cell


def every(batch, length):
    return torch.ones(batch, length, dtype=torch.bool)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("cuts", [[4, 4, 4, 2], [8, 6], [4, 10], [12, 2]])
def test_fed_at_once_or_piece_by_piece_is_the_same(gate, cuts):
    cell, tokens = made(gate), numbers(2, 14, WIDTH)
    whole, last = cell(tokens, every(2, 14))
    outputs, carried = [], None
    for piece in tokens.split(cuts, dim=1):
        output, carried = cell(piece, every(2, piece.shape[1]), carried)
        outputs.append(output)
    assert torch.equal(torch.cat(outputs, 1), whole)
    assert torch.equal(carried.state, last.state)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_what_comes_later_changes_nothing_before_bit_by_bit(gate, gradients, training):
    cell, tokens = made(gate).train(training), numbers(2, 14, WIDTH)
    with torch.set_grad_enabled(gradients):
        before, _ = cell(tokens, every(2, 14))
        for place in range(14):
            other = tokens.clone()
            other[:, place] = numbers(2, WIDTH, seed=place + 1)
            after, _ = cell(other, every(2, 14))
            assert torch.equal(after[:, :place], before[:, :place])
            assert not torch.equal(after[:, place], before[:, place])


@pytest.mark.parametrize("slots", [0, 3])
def test_only_the_state_carries_further_than_the_window(slots):
    cell, tokens = made(slots=slots), numbers(1, 16, WIDTH).requires_grad_()
    cell(tokens, every(1, 16))[0][0, 15].sum().backward()
    reached = (tokens.grad[0] != 0).any(-1)
    # the window of the last token: itself and the three before it
    assert reached[12:].all()
    assert reached[:12].all() == (slots > 0)
    assert reached[:12].any() == (slots > 0)


def test_the_window_reaches_into_the_block_before():
    cell, tokens = made(slots=0), numbers(1, 8, WIDTH).requires_grad_()
    cell(tokens, every(1, 8))[0][0, 5].sum().backward()
    assert (tokens.grad[0] != 0).any(-1).tolist() == [False] * 2 + [True] * 4 + [False] * 2


@pytest.mark.parametrize("gate", GATES)
def test_alone_equals_in_a_padded_batch_and_hands_on_the_same_state(gate):
    cell, tokens = made(gate), numbers(2, 14, WIDTH)
    mask = torch.arange(14) < torch.tensor([14, 6])[:, None]
    together, carried = cell(tokens, mask)
    alone, after = cell(tokens[1:, :6], every(1, 6))
    assert torch.allclose(together[1:, :6], alone, atol=1e-6)
    assert torch.allclose(carried.state[1:], after.state, atol=1e-6)


def test_a_sequence_of_padding_leaves_the_state_alone_and_gradients_finite():
    cell, tokens = made(), numbers(2, 6, WIDTH).requires_grad_()
    mask = torch.arange(6) < torch.tensor([6, 0])[:, None]
    output, carried = cell(tokens, mask)
    assert torch.equal(carried.state[1], cell.start_state)
    (output.square().sum() + carried.state.square().sum()).backward()
    assert tokens.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in cell.parameters())


def test_every_parameter_learns():
    cell, tokens = made(), numbers(2, 8, WIDTH)
    output, carried = cell(tokens, every(2, 8))
    (output.square().sum() + carried.state.square().sum()).backward()
    assert all((p.grad != 0).any() for p in cell.parameters())


def test_the_fixed_gate_by_hand():
    gate = FixedGate(1)
    nn.init.constant_(gate.keep, torch.log(torch.tensor(3.0)).item())  # sigmoid: 3/4
    nn.init.constant_(gate.new.weight, 2.0), nn.init.constant_(gate.new.bias, 1.0)
    found = gate(torch.tensor([[[8.0]]]), torch.tensor([[[1.5]]]))
    assert found.item() == pytest.approx(0.75 * 8 + 0.25 * 4)


def test_the_lstm_gate_by_hand():
    gate = LSTMGate(1)
    for layer in (gate.new, gate.forget, gate.input):
        nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)
    nn.init.constant_(gate.new.bias, 0.5)
    keep = torch.tensor(1.0).sigmoid().item()
    expected = keep * 8 + (1 - keep) * torch.tensor(0.5).tanh().item()
    found = gate(torch.tensor([[[8.0]]]), torch.tensor([[[1.5]]]))
    assert found.item() == pytest.approx(expected)


def test_a_layer_without_state_by_hand():
    # all queries 0: each token reads the mean of its window; the layers around it do nothing
    cell = BlockRecurrentCell(2, heads=1, block=2, slots=0)
    with torch.no_grad():
        cell.token_queries.weight.zero_()
        cell.token_key_value.weight.copy_(torch.cat([torch.zeros(2, 2), torch.eye(2)]))
        cell.token_output.weight.copy_(torch.cat([torch.eye(2), torch.zeros(2, 2)], 1))
        cell.token_output.bias.zero_()
        cell.feed_forward[-1].weight.zero_(), cell.feed_forward[-1].bias.zero_()
    tokens = torch.tensor([[[3.0, 1.0], [1.0, 3.0], [5.0, 1.0]]])
    output, _ = cell(tokens, every(1, 3))
    # normalised they are (1, -1), (-1, 1), (1, -1); the means of two in a row are 0
    expected = torch.tensor([[[4.0, 0.0], [1.0, 3.0], [5.0, 1.0]]])
    assert torch.allclose(output, expected, atol=1e-4)


def test_after_a_block_that_was_cut_short_nothing_can_follow():
    cell = made()
    _, carried = cell(numbers(1, 6, WIDTH), every(1, 6))
    with pytest.raises(ValueError, match="ended with 2 tokens of a block of 4"):
        cell(numbers(1, 4, WIDTH), every(1, 4), carried)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"block": 0}, "block is 0; expected 1"),
        ({"slots": -1}, "slots is -1; expected 0"),
        ({"heads": 0}, "heads is 0; expected 1"),
        ({"heads": 3}, "3 heads do not divide a width of 8"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        BlockRecurrentCell(**{"width": 8, "heads": 2, "block": 4, "slots": 2} | changed)
