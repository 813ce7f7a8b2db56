"""Recurrent cells by hand: equal to torch's, and what is measured on them is what it says."""

import pytest
import torch
from torch import nn

from seq2bert.cells import CELLS, GRUCell, LSTMCell, PlainCell, gradient_norms, unroll


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_equals_torch_s_on_the_same_weights(name):
    torch.manual_seed(0)
    theirs = getattr(nn, f"{name}Cell")(5, 7)
    ours = CELLS[name].like(theirs)
    x, state = torch.randn(3, 5), tuple(torch.randn(3, 7) for _ in ours.start(3))
    expected = theirs(x, state if len(state) > 1 else state[0])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for mine, other in zip(ours(x, state), expected, strict=True):
        assert torch.allclose(mine, other, atol=1e-6)


@pytest.mark.parametrize("name", CELLS)
def test_unrolled_it_equals_torch_s_layer_and_so_do_the_gradients(name):
    torch.manual_seed(1)
    layer = getattr(nn, name)(4, 6, batch_first=True)
    cell = CELLS[name](4, 6)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    inputs = torch.randn(2, 9, 4)
    expected, last = layer(inputs)
    states, state = unroll(cell, inputs)
    assert torch.allclose(states, expected, atol=1e-6)
    last = last if isinstance(last, tuple) else (last,)
    for mine, other in zip(state, last, strict=True):
        assert torch.allclose(mine, other[0], atol=1e-6)
    states.square().sum().backward()
    expected.square().sum().backward()
    for name_, parameter in cell.named_parameters():
        assert torch.allclose(parameter.grad, getattr(layer, f"{name_}_l0").grad, atol=1e-4)


def test_what_cannot_be_copied_or_read_is_named():
    with pytest.raises(ValueError, match="a LSTMCell cannot be copied into a GRUCell"):
        GRUCell.like(nn.LSTMCell(2, 2))
    with pytest.raises(ValueError, match="with biases"):
        PlainCell.like(nn.RNNCell(2, 2, bias=False))
    with pytest.raises(ValueError, match="hidden_size is 0"):
        LSTMCell(2, 0)
    with pytest.raises(ValueError, match="no step"):
        unroll(PlainCell(2, 2), torch.zeros(1, 0, 2))


def test_the_jacobian_of_a_linear_chain_is_the_power_of_its_matrix():
    """With states near 0 tanh is the identity: dh_n / dh_t is U to the power n - t."""
    torch.manual_seed(2)
    cell = PlainCell(3, 4)
    with torch.no_grad():
        for name in ("weight_ih", "bias_ih", "bias_hh"):
            getattr(cell, name).zero_()
    found = gradient_norms(cell, torch.zeros(2, 6, 3))
    powers = [torch.linalg.matrix_power(cell.weight_hh.detach(), 6 - t) for t in range(1, 7)]
    expected = torch.stack([torch.linalg.matrix_norm(power, ord=2) for power in powers])
    assert torch.allclose(found, expected, atol=1e-5)
    assert found[-1] == pytest.approx(1)


@pytest.mark.parametrize("name", CELLS)
def test_the_norms_are_those_of_the_jacobian_with_respect_to_the_whole_state(name):
    """For an LSTM h and u are two inputs of the later steps, whatever h was made from."""
    torch.manual_seed(4)
    cell, inputs = CELLS[name](3, 4), torch.randn(2, 6, 3)
    reached = []
    unroll(cell, inputs, after_step=lambda state: reached.append([part.detach() for part in state]))

    def expected(sentence, step):
        def last_state(*parts):
            later = inputs[sentence : sentence + 1, step:]
            return unroll(cell, later, parts)[1][0] if later.shape[1] else parts[0]

        parts = tuple(part[sentence : sentence + 1] for part in reached[step - 1])
        jacobians = torch.autograd.functional.jacobian(last_state, parts)
        return torch.linalg.matrix_norm(torch.cat([j[0, :, 0] for j in jacobians], dim=-1), ord=2)

    each = [(expected(0, step) + expected(1, step)) / 2 for step in range(1, 7)]
    found = gradient_norms(cell, inputs)
    assert torch.allclose(found, torch.stack(each), atol=1e-6)
    assert found[-1] == pytest.approx(1)


def test_an_open_lstm_keeps_what_a_plain_cell_loses():
    torch.manual_seed(3)
    inputs = torch.randn(4, 40, 3)
    lstm = LSTMCell(3, 8)
    with torch.no_grad():
        lstm.bias_ih[8:16] = 6.0  # the gate that keeps the memory
    kept, lost = gradient_norms(lstm, inputs), gradient_norms(PlainCell(3, 8), inputs)
    assert kept[0] > 0.1
    assert lost[0] < 1e-3 * lost[-1]
