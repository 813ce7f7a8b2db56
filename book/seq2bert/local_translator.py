"""The translator of Luong et al. (2015) with a window on the source."""

import torch
from einops import einsum, rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2bert.attention.local import PredictedCentre, monotonic_weights, predictive_weights
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree

SIZES = Sizes()


class LocalTranslator(LuongTranslator):
    """A `LuongTranslator` that looks at a window only; a `Translator`.

    The state holds, beside the hidden state, the number t of the word that is written next, counted
    from 0, so that the window of local-m moves on when sentences are written step by step.

    Args:
        source_size: how many tokens the source vocabulary has.
        target_size: how many the target vocabulary has.
        energy: called as `energy(query, key)`; query and key are as wide as a state.
        reach: D; the window has at most 2 D + 1 places.
        predictor: gives p_t from the states and the mask (local-p); without it p_t = t (local-m).
        sizes: widths.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        energy: nn.Module,
        reach: int,
        predictor: PredictedCentre | None = None,
        sizes: Sizes = SIZES,
    ) -> None:
        super().__init__(source_size, target_size, energy, sizes=sizes)
        self.reach = reach
        self.predictor = predictor

    def start(self, memory: Tree) -> Tree:
        """The state before the first word, whose number is 0."""
        state = super().start(memory)
        return state | {"time": torch.zeros_like(memory["mask"][:, 0], dtype=torch.long)}

    def centre(
        self, states: Float[Tensor, "batch query hidden"], memory: Tree
    ) -> Float[Tensor, "batch query"]:
        """p_t of each state; `memory["time"]` is the number of the first of them, 0 if missing."""
        if self.predictor is not None:
            return self.predictor(states, memory["mask"])  # type: ignore[no-any-return]
        times = torch.arange(states.shape[1], device=states.device, dtype=states.dtype)
        first = memory.get("time", torch.zeros_like(memory["mask"][:, 0], dtype=torch.long))
        return rearrange(first, "b -> b 1") + times

    def attend(
        self,
        states: Float[Tensor, "batch query hidden"],
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch query hidden"], Float[Tensor, "batch query key"]]:
        """The context of each state, and the weights that made it: 0 outside of the window."""
        energy = self.energy(states, memory["annotations"]) * interventions.scale
        share = monotonic_weights if self.predictor is None else predictive_weights
        weights = share(energy, memory["mask"], self.centre(states, memory), self.reach)
        context = einsum(weights, memory["annotations"], "b q k, b k h -> b q h")
        if "cross" in interventions.head_mask:
            context = context * interventions.head_mask["cross"][0, 0]
        return context, weights

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """One word read, one distribution over the next, and the number of the word after it."""
        log_probs, following, attention = super().step(
            token, state, memory | {"time": state["time"]}, interventions
        )
        return log_probs, following | {"time": state["time"] + 1}, attention
