"""From energies to weights: three distribution functions, each of which knows what is padding.

A masked key has the weight 0, exactly, and no gradient; a query that may attend to no key at all
gets 0 everywhere, with finite gradients.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def masked_softmax(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query key"],
) -> Float[Tensor, "*batch query key"]:
    """Softmax over the keys that a query may attend to.

    A masked key gets the energy minus infinity, and so the weight 0, exactly, in every dtype. A
    query that may attend to no key at all gets 0 everywhere, and finite gradients.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        weights of the same shape; each row sums to 1, or to 0 if all its keys are masked.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask is {mask.dtype}; expected bool, True = may attend: mask.bool()")
    if not _broadcasts(mask.shape, energy.shape):
        raise ValueError(
            f"mask has the shape {tuple(mask.shape)}, energy {tuple(energy.shape)}; the mask must "
            "broadcast to (..., query, key): a mask of keys needs an axis of length 1 for queries"
        )
    nothing = ~mask.any(dim=-1, keepdim=True)
    energy = energy.masked_fill(~mask, -torch.inf).masked_fill(nothing, 0.0)
    return energy.softmax(dim=-1).masked_fill(nothing, 0.0)


def sparsemax(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
) -> Float[Tensor, "*batch query key"]:
    """The point of the simplex that is nearest to the energies; it may have true zeros.

    Martins and Astudillo (2016), algorithm 1: with the energies in descending order z_1, z_2, ...,
    the support is the largest k with 1 + k z_k > z_1 + ... + z_k, the threshold is
    tau = (z_1 + ... + z_k - 1) / k, and the weights are max(z - tau, 0).

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        weights of the same shape and dtype; each row sums to 1, or to 0 if all its keys are
        masked. Half precision is computed in single precision.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    _check(energy, mask)
    nothing = ~mask.any(dim=-1, keepdim=True)
    exact = energy if energy.dtype == torch.float64 else energy.float()
    exact = exact.masked_fill(~mask, -torch.inf).masked_fill(nothing, 0.0)
    exact = exact - exact.amax(dim=-1, keepdim=True).detach()
    ordered = exact.sort(dim=-1, descending=True).values
    sums = ordered.cumsum(dim=-1)
    rank = torch.arange(1, energy.shape[-1] + 1, device=energy.device, dtype=exact.dtype)
    support = (1 + rank * ordered > sums).sum(dim=-1, keepdim=True)
    threshold = (sums.gather(-1, support - 1) - 1) / support
    weights = (exact - threshold).clamp_min(0.0).masked_fill(nothing, 0.0)
    return weights.to(energy.dtype)


def masked_sigmoid(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
) -> Float[Tensor, "*batch query key"]:
    """Each key judged alone: 1 / (1 + exp(-e)). The weights of a row need not sum to 1.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        weights of the same shape, each in [0, 1]; 0 where a key is masked.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    _check(energy, mask)
    return energy.masked_fill(~mask, -torch.inf).sigmoid()


def _check(energy: Tensor, mask: Tensor) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(f"mask is {mask.dtype}; expected bool, True = may attend: mask.bool()")
    if not _broadcasts(mask.shape, energy.shape):
        raise ValueError(
            f"mask has the shape {tuple(mask.shape)}, energy {tuple(energy.shape)}; the mask must "
            "broadcast to (..., query, key): a mask of keys needs an axis of length 1 for queries"
        )


def _broadcasts(shape: torch.Size, target: torch.Size) -> bool:
    try:
        return bool(torch.broadcast_shapes(shape, target) == target)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return False
