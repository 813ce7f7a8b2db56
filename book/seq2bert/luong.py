"""The translator of Luong, Pham and Manning (2015): first the state, then the look at the source.

Its decoder reads the previous word, and only then asks; its question therefore knows that word.
Any energy and any distribution function fit in, which makes it the harness in which they are
compared. Nothing of the context goes back into the decoder's state, so that in training all states,
all questions and all contexts are computed at once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax
from seq2bert.recurrent import BidirectionalEncoder, final_states
from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree

Distribution = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Sizes:
    """How wide the parts are: word embeddings, and states (annotations have the same width)."""

    embedding: int = 64
    hidden: int = 128


class LuongTranslator(nn.Module):
    """An encoder, a decoder, and an energy and a distribution between them; a `Translator`.

    s_t = GRU(y_{t-1}, s_{t-1}); alpha_t = g(f(s_t, H)); c_t = alpha_t H; the output is computed
    from tanh(W [c_t; s_t]) (Luong et al., 2015, section 3). Deviations: GRUs in place of stacks of
    LSTMs, a bidirectional encoder, no input feeding (section 3.3).

    Args:
        source_size: how many tokens the source vocabulary has.
        target_size: how many the target vocabulary has.
        energy: called as `energy(query, key)`; query and key are as wide as a state.
        distribution: called as `distribution(energy, mask)`.
        sizes: widths.

    Raises:
        ValueError: the width of a state is odd (its halves are the two directions of the encoder).
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        energy: nn.Module,
        distribution: Distribution = masked_softmax,
        sizes: Sizes = Sizes(),
    ) -> None:
        super().__init__()
        if sizes.hidden % 2:
            raise ValueError(
                f"hidden is {sizes.hidden}; expected an even number, half for each direction"
            )
        self.source_embedding = nn.Embedding(source_size, sizes.embedding)
        self.target_embedding = nn.Embedding(target_size, sizes.embedding)
        self.encoder = BidirectionalEncoder(sizes.embedding, sizes.hidden // 2)
        self.initial = nn.Linear(sizes.hidden, sizes.hidden)
        self.decoder = nn.GRU(sizes.embedding, sizes.hidden, batch_first=True)
        self.energy = energy
        self.distribution = distribution
        self.combine = nn.Linear(2 * sizes.hidden, sizes.embedding)
        self.output = nn.Linear(sizes.embedding, target_size)

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Read the source: annotations and their mask."""
        annotations = self.encoder(self.source_embedding(source), source_mask)
        summary = final_states(annotations, source_mask)
        return {"annotations": annotations, "mask": source_mask, "summary": summary}

    def start(self, memory: Tree) -> Tree:
        """s_0 = tanh(W [last forward state; last backward state])."""
        return {"hidden": self.initial(memory["summary"]).tanh()}

    def attend(
        self,
        states: Float[Tensor, "batch query hidden"],
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch query hidden"], Float[Tensor, "batch query key"]]:
        """The context of each state, and the weights that made it."""
        energy = self.energy(states, memory["annotations"]) * interventions.scale
        weights = self.distribution(energy, rearrange(memory["mask"], "b k -> b 1 k"))
        context = einsum(weights, memory["annotations"], "b q k, b k h -> b q h")
        if "cross" in interventions.head_mask:
            context = context * interventions.head_mask["cross"][0, 0]
        return context, weights

    def read(
        self,
        target: Int[Tensor, "batch target"],
        hidden: Float[Tensor, "batch hidden"],
        memory: Tree,
        interventions: Interventions,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch hidden"], Attention]:
        """Read target words from a state on: log-probabilities, the last state, attention."""
        states, last = self.decoder(
            self.target_embedding(target), rearrange(hidden, "b h -> 1 b h").contiguous()
        )
        context, weights = self.attend(states, memory, interventions)
        logits = self.output(self.combine(torch.cat([context, states], dim=-1)).tanh())
        log_probs = (logits / interventions.temperature).log_softmax(dim=-1)
        return log_probs, last[0], {"cross": rearrange(weights, "b q k -> b 1 1 q k")}

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """One word read, one distribution over the next."""
        log_probs, hidden, attention = self.read(
            rearrange(token, "b -> b 1"), state["hidden"], memory, interventions
        )
        return log_probs[:, 0], {"hidden": hidden}, attention

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Teacher forcing, all steps at once; equal to `step` taken again and again."""
        memory = self.encode(source, source_mask, interventions)
        hidden = self.start(memory)["hidden"]
        log_probs, _, attention = self.read(target_in, hidden, memory, interventions)
        return log_probs, attention
