"""Recurrent cells from nothing: the plain one, the GRU and the LSTM, equal to those of torch.

A cell takes the input of one step and the state before it, and returns the state after it. The
order of the gates and the two biases are torch's, so that weights can be copied over.
"""

from collections.abc import Callable
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn

State: TypeAlias = tuple[Tensor, ...]


class Cell(nn.Module):
    """What the three cells share: weights for input and state, one block of rows for each gate.

    Args:
        input_size: width of the input.
        hidden_size: width of the state.

    Raises:
        ValueError: a size is less than 1.
    """

    gates: int
    """How many blocks of rows the weights have."""

    torch_cell: type[nn.RNNCellBase]
    """The cell of torch that computes the same."""

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor
    bias_hh: Tensor

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if size < 1:
                raise ValueError(f"{name} is {size}; expected at least 1")
        self.input_size, self.hidden_size = input_size, hidden_size
        rows = self.gates * hidden_size
        bound = hidden_size**-0.5
        for name, shape in (
            ("weight_ih", (rows, input_size)),
            ("weight_hh", (rows, hidden_size)),
            ("bias_ih", (rows,)),
            ("bias_hh", (rows,)),
        ):
            setattr(self, name, nn.Parameter(torch.empty(shape).uniform_(-bound, bound)))

    @classmethod
    def like(cls, cell: nn.RNNCellBase) -> "Cell":
        """A cell with a copy of the weights of torch's.

        Raises:
            ValueError: it is another kind of cell, or one without biases.
        """
        if not isinstance(cell, cls.torch_cell) or not cell.bias:
            raise ValueError(
                f"a {type(cell).__name__} cannot be copied into a {cls.__name__}; expected a "
                f"torch.nn.{cls.torch_cell.__name__} with biases"
            )
        made = cls(cell.input_size, cell.hidden_size)
        made.load_state_dict(cell.state_dict())
        return made

    def start(self, batch: int) -> State:
        """The state before the first step: zeros, shape (batch, hidden)."""
        return (self.weight_ih.new_zeros(batch, self.hidden_size),)

    def from_input(self, x: Float[Tensor, "batch input"]) -> tuple[Tensor, ...]:
        """What the input adds to each gate: W x + b_ih, a (batch, hidden) tensor for each."""
        return (x @ self.weight_ih.T + self.bias_ih).chunk(self.gates, dim=-1)

    def from_state(self, h: Float[Tensor, "batch hidden"]) -> tuple[Tensor, ...]:
        """What the state adds to each gate: U h + b_hh, a (batch, hidden) tensor for each."""
        return (h @ self.weight_hh.T + self.bias_hh).chunk(self.gates, dim=-1)

    def forward(self, x: Float[Tensor, "batch input"], state: State) -> State:
        """One step.

        Args:
            x: the input, shape (batch, input).
            state: before the step; its first tensor is h, shape (batch, hidden).

        Returns:
            the state after the step, of the same shapes.
        """
        raise NotImplementedError


class PlainCell(Cell):
    """h' = tanh(W x + U h + b_h), b_h = b_ih + b_hh (Elman, 1990, but for tanh).

    Elman's units stay between 0 and 1, these between -1 and 1.
    """

    gates = 1
    torch_cell = nn.RNNCell

    def forward(self, x: Float[Tensor, "batch input"], state: State) -> State:
        """One step; see `Cell.forward`."""
        (h,) = state
        ((from_input,), (from_state,)) = self.from_input(x), self.from_state(h)
        return (torch.tanh(from_input + from_state),)


class GRUCell(Cell):
    """A reset gate r and an update gate z (Cho et al., 2014, in the form of cuDNN and torch).

    r = sigmoid(W_r x + U_r h), z = sigmoid(W_z x + U_z h),
    new = tanh(W x + r * (U h)), h' = (1 - z) * new + z * h; biases are left out here.

    As in the paper, z keeps the old state. The published paper multiplies r with h before U, not
    after it; its first preprint has the order of torch. Chung et al. (2014) swap the roles of z
    and 1 - z, which changes names and no more.
    """

    gates = 3
    torch_cell = nn.GRUCell

    def forward(self, x: Float[Tensor, "batch input"], state: State) -> State:
        """One step; see `Cell.forward`."""
        (h,) = state
        (x_r, x_z, x_n), (h_r, h_z, h_n) = self.from_input(x), self.from_state(h)
        reset = torch.sigmoid(x_r + h_r)
        update = torch.sigmoid(x_z + h_z)
        new = torch.tanh(x_n + reset * h_n)
        return ((1 - update) * new + update * h,)


class LSTMCell(Cell):
    """A memory u beside the state h, and gates that write, keep and read (Gers et al., 2000).

    u' = keep * u + write * tanh(W x + U h), h' = read * tanh(u'); each gate is sigmoid(W x + U h)
    with weights of its own. The literature calls the gates f, i and o, and the memory c.
    Hochreiter and Schmidhuber (1997) had no gate that keeps: their memory never forgot.
    """

    gates = 4
    torch_cell = nn.LSTMCell

    def start(self, batch: int) -> State:
        """Zeros for the state h and for the memory u, each (batch, hidden)."""
        return super().start(batch) * 2

    def forward(self, x: Float[Tensor, "batch input"], state: State) -> State:
        """One step; see `Cell.forward`. The state is (h, u)."""
        h, memory = state
        gates = (a + b for a, b in zip(self.from_input(x), self.from_state(h), strict=True))
        write, keep, content, read = gates
        memory = torch.sigmoid(keep) * memory + torch.sigmoid(write) * torch.tanh(content)
        return torch.sigmoid(read) * torch.tanh(memory), memory


CELLS: dict[str, type[Cell]] = {"RNN": PlainCell, "GRU": GRUCell, "LSTM": LSTMCell}


def unroll(
    cell: Cell,
    inputs: Float[Tensor, "batch length input"],
    state: State | None = None,
    after_step: Callable[[State], None] = lambda state: None,
) -> tuple[Float[Tensor, "batch length hidden"], State]:
    """Read a sequence step by step.

    Args:
        cell: which cell.
        inputs: shape (batch, length, input), at least one step.
        state: before the first step; `cell.start` when left out.
        after_step: called with the state after each step, to look at it.

    Returns:
        h after each step, shape (batch, length, hidden), and the state after the last.

    Raises:
        ValueError: there is no step.
    """
    if inputs.shape[1] == 0:
        raise ValueError("the sequence has no step; give at least one")
    state = cell.start(inputs.shape[0]) if state is None else state
    states = []
    for x in inputs.unbind(dim=1):
        state = cell(x, state)
        after_step(state)
        states.append(state[0])
    return torch.stack(states, dim=1), state


def gradient_norms(
    cell: Cell, inputs: Float[Tensor, "batch length input"]
) -> Float[Tensor, "length"]:
    """How much the last state still depends on each earlier one.

    Args:
        cell: which cell.
        inputs: shape (batch, length, input).

    Returns:
        shape (length,): for t = 1..n the spectral norm of the Jacobian of h_n with respect to the
        whole state after step t (for an LSTM h and u), averaged over the batch.
    """
    # the state before the first step carries the gradient, whether or not weights do
    state: State = tuple(part.requires_grad_() for part in cell.start(inputs.shape[0]))
    kept: list[State] = []
    for x in inputs.detach().unbind(dim=1):
        # copies: h_t and u_t are two inputs of what follows, though h_t was made from u_t
        state = tuple(part.clone() for part in cell(x, state))
        kept.append(state)
    flat = [part for state in kept for part in state]
    rows = []
    for unit in range(cell.hidden_size):
        # a sentence depends on itself alone, so one pass serves the whole batch
        gradients = torch.autograd.grad(
            kept[-1][0][:, unit].sum(), flat, retain_graph=True, materialize_grads=True
        )
        width = len(state)
        steps = [gradients[at : at + width] for at in range(0, len(gradients), width)]
        rows.append(torch.stack([torch.cat(step, dim=-1) for step in steps], dim=1))
    jacobians = torch.stack(rows, dim=-2)  # (batch, length, unit of h_n, part of the state)
    norms: Tensor = torch.linalg.matrix_norm(jacobians, ord=2)
    return norms.mean(dim=0)
