"""Places of a map: a weight for each place, and one place made of the weights."""

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def as_items(
    feature_map: Float[Tensor, "batch channel row column"],
) -> Float[Tensor, "batch place channel"]:
    """The map as a list of vectors, one for each place, row after row (Xu et al., 2015)."""
    return rearrange(feature_map, "b c r k -> b (r k) c")


def mean_place(weights: Float[Tensor, "batch row column"]) -> Float[Tensor, "batch 2"]:
    """The centre of gravity of the weights as (x, y), each from -1 (left, top) to 1.

    A place stands for the middle of its part of the picture: of n columns, the first lies at
    -1 + 1/n. Weights that are all 0 give the middle of the picture.
    """

    def middles(count: int) -> Tensor:
        return (2 * torch.arange(count, dtype=weights.dtype, device=weights.device) + 1) / count - 1

    rows, columns = weights.shape[1:]
    x = einsum(weights, middles(columns), "b r c, c -> b")
    y = einsum(weights, middles(rows), "b r c, r -> b")
    return torch.stack([x, y], dim=-1)


def crop(
    picture: Float[Tensor, "batch channel height width"],
    place: Float[Tensor, "batch 2"],
    size: int,
) -> Float[Tensor, "batch channel {size} {size}"]:
    """Cut a square of `size` pixels out around a place; differentiable in the place.

    Between pixels the values are interpolated, and outside of the picture they are 0. This is a
    spatial transformer (Jaderberg et al., 2015) that may only shift.

    Args:
        picture: shape (batch, channel, height, width).
        place: the middle of the square, (x, y), each from -1 (left, top) to 1.
        size: pixels on a side.

    Raises:
        ValueError: the size is not positive.
    """
    if size < 1:
        raise ValueError(f"a crop of {size} pixels; expected at least 1")
    height, width = picture.shape[2:]
    zoom = picture.new_tensor([[size / width, 0.0], [0.0, size / height]])
    matrices = torch.cat([zoom.expand(len(picture), 2, 2), place.unsqueeze(-1)], dim=-1)
    grid = functional.affine_grid(
        matrices, [len(picture), picture.shape[1], size, size], align_corners=False
    )
    return functional.grid_sample(picture, grid, align_corners=False)
