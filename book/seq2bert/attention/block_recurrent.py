"""Block by block with a memory: the Block-Recurrent Transformer (Hutchins et al., 2022).

A recurrent network whose step is a block of tokens and whose state is a set of vectors. The tokens
of a block attend to what is near (a window that reaches into the block before) and to the state;
the state attends to itself and to the block, and a gate decides what it keeps.
"""

from typing import NamedTuple

import torch
from einops import rearrange, repeat
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention.efficient.prior import with_prior
from seq2bert.attention.heads import join_heads, scaled_dot_attention, split_heads
from seq2bert.positions import RelativeBias, distances


class Carried(NamedTuple):
    """What one block hands to the next."""

    state: Float[Tensor, "batch slot width"]
    key: Float[Tensor, "batch head block size"]
    value: Float[Tensor, "batch head block size"]
    real: Bool[Tensor, "batch block"]


class FixedGate(nn.Module):
    """c' = g c + (1 - g) (W h + b): a running mean, g = sigmoid(a); the paper's fixed gate.

    Args:
        width: of the state vectors.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.new = nn.Linear(width, width)
        self.keep = nn.Parameter(torch.full((width,), 1.0))

    def forward(
        self, state: Float[Tensor, "batch slot width"], seen: Float[Tensor, "batch slot width"]
    ) -> Float[Tensor, "batch slot width"]:
        """The state after what has been seen."""
        share, new = self.keep.sigmoid(), self.new(seen)
        kept: Tensor = share * state + (1 - share) * new
        return kept


class LSTMGate(nn.Module):
    """c' = f c + i tanh(W h + b): what is kept depends on what is seen, as in an LSTM.

    f = sigmoid(W_f h + b_f + 1) and i = sigmoid(W_i h + b_i - 1): at first more is kept than
    written.

    Args:
        width: of the state vectors.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.new = nn.Linear(width, width)
        self.forget = nn.Linear(width, width)
        self.input = nn.Linear(width, width)

    def forward(
        self, state: Float[Tensor, "batch slot width"], seen: Float[Tensor, "batch slot width"]
    ) -> Float[Tensor, "batch slot width"]:
        """The state after what has been seen."""
        keep, write = (self.forget(seen) + 1).sigmoid(), (self.input(seen) - 1).sigmoid()
        kept: Tensor = keep * state + write * self.new(seen).tanh()
        return kept


class BlockRecurrentCell(nn.Module):
    """One layer that reads a sequence of any length with memory for two blocks.

    As in the paper, keys and values of the tokens are shared by tokens and state, and so are those
    of the state; the two results of each are put side by side and projected; the state vectors
    have names (learned, added before they attend) so that they can differ. The window is one block
    long: a token sees itself and the `block - 1` tokens before it. In place of the paper's buckets
    each distance has a bias of its own, and only tokens have a feed-forward layer.

    Args:
        width: of tokens and state vectors.
        heads: how many; divides the width.
        block: tokens in a block.
        slots: state vectors; with 0 it is a Transformer layer with a sliding window.
        gate: what the state keeps, `LSTMGate` or `FixedGate`.

    Raises:
        ValueError: a number is too small, or the heads do not divide the width.
    """

    def __init__(
        self, width: int, heads: int, block: int, slots: int, gate: type[nn.Module] = LSTMGate
    ) -> None:
        super().__init__()
        for name, number, least in (("block", block, 1), ("slots", slots, 0), ("heads", heads, 1)):
            if number < least:
                raise ValueError(f"{name} is {number}; expected {least} or more")
        if width % heads:
            raise ValueError(f"{heads} heads do not divide a width of {width}")
        self.heads, self.block, self.slots = heads, block, slots
        self.bias = RelativeBias(heads, block)
        self.start_state = nn.Parameter(torch.randn(slots, width) * 0.02)
        self.names = nn.Parameter(torch.randn(slots, width) * 0.02)
        self.token_norm, self.state_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.token_key_value = nn.Linear(width, 2 * width, bias=False)
        self.state_key_value = nn.Linear(width, 2 * width, bias=False)
        self.token_queries = nn.Linear(width, 2 * width, bias=False)
        self.state_queries = nn.Linear(width, 2 * width, bias=False)
        self.token_output = nn.Linear(2 * width, width)
        self.state_output = nn.Linear(2 * width, width)
        self.gate = gate(width)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)
        )

    def start(self, batch: int) -> Carried:
        """What the first block finds: the learned state, and nothing before it."""
        width = self.start_state.shape[1]
        nothing = self.start_state.new_zeros(batch, self.heads, self.block, width // self.heads)
        real = torch.zeros(batch, self.block, dtype=torch.bool, device=nothing.device)
        state = repeat(self.start_state, "s d -> b s d", b=batch)
        return Carried(state, nothing, nothing, real)

    def forward(
        self,
        tokens: Float[Tensor, "batch length width"],
        mask: Bool[Tensor, "batch length"],
        carried: Carried | None = None,
    ) -> tuple[Float[Tensor, "batch length width"], Carried]:
        """Read a piece of a sequence, block by block.

        Args:
            tokens: vectors, shape (batch, length, width).
            mask: True where a token is real.
            carried: what the piece before handed on; none at the beginning.

        Returns:
            the tokens' new vectors, and what to hand to the next piece. Pieces of whole blocks
            give what the whole sequence gives.

        Raises:
            ValueError: the piece before ended in the middle of a block.
        """
        carried = self.start(len(tokens)) if carried is None else carried
        if carried.real.shape[1] != self.block:
            raise ValueError(
                f"the piece before ended with {carried.real.shape[1]} tokens of a block of "
                f"{self.block}; cut a sequence into pieces of whole blocks, only the last may be "
                "shorter"
            )
        outputs = []
        pieces = (torch.split(whole, self.block, dim=1) for whole in (tokens, mask))
        for piece, real in zip(*pieces, strict=True):
            output, carried = self.step(piece, real, carried)
            outputs.append(output)
        return torch.cat(outputs, dim=1), carried

    def step(
        self,
        tokens: Float[Tensor, "batch length width"],
        real: Bool[Tensor, "batch length"],
        carried: Carried,
    ) -> tuple[Float[Tensor, "batch length width"], Carried]:
        """One block: the tokens read the state as it was, then the state reads the tokens."""
        normed = self.token_norm(tokens)
        named = self.state_norm(carried.state) + self.names
        key, value = self._heads(self.token_key_value(normed))
        state_key, state_value = self._heads(self.state_key_value(named))
        near, at_state = self._heads(self.token_queries(normed))
        among, at_tokens = self._heads(self.state_queries(named))
        every_slot = torch.ones(1, 1, 1, self.slots, dtype=torch.bool, device=real.device)

        read = self._near(near, key, value, real, carried)
        told, _ = scaled_dot_attention(at_state, state_key, state_value, every_slot)
        tokens = tokens + self.token_output(torch.cat([join_heads(read), join_heads(told)], -1))
        tokens = tokens + self.feed_forward(tokens)

        kept, _ = scaled_dot_attention(among, state_key, state_value, every_slot)
        seen, _ = scaled_dot_attention(at_tokens, key, value, rearrange(real, "b k -> b 1 1 k"))
        news = self.state_output(torch.cat([join_heads(kept), join_heads(seen)], -1))
        some = rearrange(real.any(dim=1), "b -> b 1 1")
        state = torch.where(some, self.gate(carried.state, news), carried.state)
        return tokens, Carried(state, key, value, real)

    def _near(
        self,
        query: Float[Tensor, "batch head length size"],
        key: Float[Tensor, "batch head length size"],
        value: Float[Tensor, "batch head length size"],
        real: Bool[Tensor, "batch length"],
        carried: Carried,
    ) -> Float[Tensor, "batch head length size"]:
        """Attention to the last `block` tokens, of this block and the one before."""
        keys = torch.cat([carried.key, key], dim=2)
        values = torch.cat([carried.value, value], dim=2)
        count, before = query.shape[2], self.block
        away = distances(count, before + count, start=before).to(real.device)
        seen = rearrange(torch.cat([carried.real, real], dim=1), "b k -> b 1 1 k")
        seen = seen & (away <= 0) & (away > -self.block)
        bias = self.bias(count, before + count, start=before)
        return with_prior(query, keys, values, seen, bias)

    def _heads(
        self, pair: Float[Tensor, "batch length both"]
    ) -> tuple[Float[Tensor, "batch head length size"], Float[Tensor, "batch head length size"]]:
        """Two projections side by side, each cut into heads."""
        first, second = pair.chunk(2, dim=-1)
        return split_heads(first, self.heads), split_heads(second, self.heads)
