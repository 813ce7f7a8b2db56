"""How far apart two words are in a network, how long it must wait, and how much it multiplies.

Nothing is counted by hand here. The graph that autograd keeps of a computation knows what had to
wait for what; a toll on each step shows how many steps lie on the way from one word to another;
torch's own counter adds up multiplications and additions.

A *reader* is a function from the vectors of the words, (batch, length, width), to as many vectors.
Its *steps* are modules that it calls: the cell of a recurrent network, the layers of another.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.utils.flop_counter import FlopCounterMode

Reader: TypeAlias = Callable[[Tensor], Tensor]


class _Toll(torch.autograd.Function):
    """The identity; on the way back the gradient is multiplied by a toll."""

    @staticmethod
    def forward(ctx: Any, passing: Tensor, toll: float) -> Tensor:
        ctx.toll = toll
        return passing.view_as(passing)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0] * ctx.toll, None


@contextmanager
def tolls(steps: Iterable[nn.Module], toll: float) -> Iterator[None]:
    """While this lasts, each way through one of the steps multiplies a gradient by the toll."""

    def charge(step: nn.Module, given: Any, result: Any) -> Any:
        if isinstance(result, Tensor):
            return _Toll.apply(result, toll)  # type: ignore[no-untyped-call]
        return tuple(charge(step, given, part) for part in result)

    hooks = [step.register_forward_hook(charge) for step in steps]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def longest_chain(output: Tensor, counts: Callable[[Node], bool]) -> int:
    """How many of the operations that are counted had to wait for one another, at most.

    Args:
        output: what was computed, with a gradient.
        counts: whether an operation is counted. What is put together by one operation (`stack`)
            is waited for as a whole.

    Returns:
        the largest number of counted operations in a row, each waiting for the one before.

    Raises:
        ValueError: autograd did not keep how the output was computed.
    """
    if output.grad_fn is None:
        raise ValueError(
            "the output has no grad_fn; expected a result of operations on a tensor that requires "
            "a gradient, outside of torch.no_grad()"
        )
    waited: dict[Node, int] = {}
    waiting = [output.grad_fn]
    while waiting:
        operation = waiting[-1]
        earlier = [node for node, _ in operation.next_functions if node is not None]
        unknown = [node for node in earlier if node not in waited]
        if unknown:
            waiting += unknown
            continue
        waited[operation] = max((waited[e] for e in earlier), default=0) + counts(operation)
        waiting.pop()
    return waited[output.grad_fn]


def is_matrix_product(operation: Node) -> bool:
    """Whether an operation multiplies matrices: mm, addmm, bmm and their relatives."""
    name = operation.name().removesuffix("Backward0").lower()
    return name in {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv"}


def products_in_a_row(read: Reader, words: Float[Tensor, "batch length width"]) -> int:
    """How many matrix products had to wait for one another, whatever else lies between them."""
    return longest_chain(read(words), is_matrix_product)


def steps_in_a_row(
    read: Reader, steps: Iterable[nn.Module], words: Float[Tensor, "batch length width"]
) -> int:
    """How many calls of the steps had to wait for one another."""
    with tolls(steps, 1.0):
        return longest_chain(read(words), lambda node: node.name() == "_TollBackward")


def path_length(
    read: Reader,
    steps: Iterable[nn.Module],
    words: Float[Tensor, "batch length width"],
    source: int,
    target: int,
) -> float:
    """The fewest steps on a way from one word to what was made of another.

    The derivative of the output with respect to the input is a sum over all ways. With a toll z
    on each step a way of k steps counts z^k as much, so for a small z the shortest ways are left,
    and from z to 2 z the sum grows by a factor of 2^k.

    Args:
        read: the reader.
        steps: the modules that count as steps.
        words: vectors, shape (batch, length, width).
        source: the place of the word that is read.
        target: the place of the output.

    Returns:
        the number of steps; infinite if the output does not depend on the word.

    Raises:
        ValueError: the way is so long that its toll is too small a number.
    """
    steps, toll = list(steps), 2.0**-8

    def size(z: float) -> float:
        given = words.detach().clone().requires_grad_()
        with tolls(steps, z):
            made = read(given)[:, target]
        slope = torch.linspace(1, 2, made.numel(), dtype=made.dtype).view_as(made)
        (gradient,) = torch.autograd.grad((made * slope).sum(), given)
        return float(gradient[:, source].abs().sum())

    if size(1.0) == 0:
        return math.inf
    smaller, larger = size(toll), size(2 * toll)
    if smaller < 1e-280:
        raise ValueError(
            f"from word {source} to word {target} the gradient with its tolls is {smaller:.0e}; "
            "expected a shorter way: use fewer words, in double precision"
        )
    return float(round(math.log2(larger / smaller)))


def flops(compute: Callable[[], object]) -> int:
    """Multiplications and additions of all matrix products, as torch's FlopCounterMode counts."""
    with FlopCounterMode(display=False) as counter:
        compute()
    return int(counter.get_total_flops())


def attention_flops(words: int, width: int) -> int:
    """One layer of self-attention: 8 n d^2 for four projections, 4 n^2 d for pairs of words."""
    return 8 * words * width**2 + 4 * words**2 * width


def lstm_flops(words: int, width: int) -> int:
    """One LSTM as wide as its input: 16 n d^2, eight matrices for each word."""
    return 16 * words * width**2


def input_gradient(read: Reader, words: Float[Tensor, "1 length width"]) -> float:
    """How much the last output depends on the first word: the spectral norm of dh_n / dx_1."""
    given = words.detach().clone().requires_grad_()
    last = read(given)[0, -1]
    rows = [torch.autograd.grad(unit, given, retain_graph=True)[0][0, 0] for unit in last]
    return float(torch.linalg.matrix_norm(torch.stack(rows), ord=2))


def numbers_passed_on(
    read: Reader, words: Float[Tensor, "1 length width"], cut: int, digits: float = 1e-9
) -> int:
    """Through how many numbers the words before a cut reach the outputs after it.

    The rank of the Jacobian of all outputs from place `cut` on, with respect to all words before.

    Args:
        read: the reader.
        words: vectors in double precision, shape (1, length, width).
        cut: the first place whose output is looked at.
        digits: singular values below this share of the largest count as 0.

    Raises:
        ValueError: there is nothing before or after the cut.
    """
    if not 0 < cut < words.shape[1]:
        raise ValueError(
            f"cut at {cut} of {words.shape[1]} words; expected a place with words on both sides"
        )

    def after(before: Tensor) -> Tensor:
        return read(torch.cat([before, words[:, cut:]], dim=1))[:, cut:]

    before = words[:, :cut]
    jacobian = torch.autograd.functional.jacobian(after, before)  # type: ignore[no-untyped-call]
    matrix = jacobian.reshape(-1, before.numel())
    return int(torch.linalg.matrix_rank(matrix, rtol=digits))
