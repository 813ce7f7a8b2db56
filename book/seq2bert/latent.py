"""The position that is read as a latent variable, in a translator: exact, and by chance.

In `LuongTranslator` nothing of what is read goes back into the state. Given the words before it, a
target word therefore depends on one position only, its own, and all positions can be tried: the
sums that hard attention estimates elsewhere are computed here.
"""

import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.hard import (
    Baseline,
    entropy,
    log_marginal,
    lower_bound,
    masked_log_softmax,
    sample_keys,
    score_function,
)
from seq2bert.luong import LuongTranslator
from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree


class MarginalTranslator(LuongTranslator):
    """A translator that reads one annotation, does not know which, and counts with all of them.

    p(y_t) = sum_j alpha_tj p(y_t | z_t = j), where p(y_t | z_t = j) is computed from [h_j; s_t]
    alone. Its parameters are those of a `LuongTranslator`: with the distribution `best_key` or
    `sampled_key` that one reads a single annotation with the same weights.
    """

    def weigh(
        self,
        states: Float[Tensor, "batch query hidden"],
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Float[Tensor, "batch query key"]:
        """log alpha of each state."""
        energy = self.energy(states, memory["annotations"]) * interventions.scale
        return masked_log_softmax(energy, rearrange(memory["mask"], "b k -> b 1 k"))

    def given(
        self,
        states: Float[Tensor, "*#batch hidden"],
        context: Float[Tensor, "*#batch hidden"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Float[Tensor, "... vocabulary"]:
        """log p(y | what was read): W [c; s] is W_c c + W_s s, and the parts are added here."""
        if "cross" in interventions.head_mask:
            context = context * interventions.head_mask["cross"][0, 0]
        read, state = self.combine.weight.chunk(2, dim=1)
        features = context @ read.T + states @ state.T + self.combine.bias
        logits: Tensor = self.output(features.tanh())
        return (logits / interventions.temperature).log_softmax(dim=-1)

    def given_each(
        self,
        states: Float[Tensor, "batch query hidden"],
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Float[Tensor, "batch query key vocabulary"]:
        """log p(y | z = j) for every state, every j and every word."""
        every = rearrange(memory["annotations"], "b k h -> b 1 k h")
        return self.given(rearrange(states, "b q h -> b q 1 h"), every, interventions)

    def read(
        self,
        target: Int[Tensor, "batch target"],
        hidden: Float[Tensor, "batch hidden"],
        memory: Tree,
        interventions: Interventions,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch hidden"], Attention]:
        """As in `LuongTranslator`, with a mixture of predictions for a mixture of annotations."""
        states, last = self.decoder(
            self.target_embedding(target), rearrange(hidden, "b h -> 1 b h").contiguous()
        )
        log_weights = self.weigh(states, memory, interventions)
        log_probs = log_marginal(log_weights, self.given_each(states, memory, interventions))
        return log_probs, last[0], {"cross": rearrange(log_weights.exp(), "b q k -> b 1 1 q k")}


class Objective(nn.Module):
    """What is trained: a translator, and in its place, while it trains, something else to maximise.

    In training mode it gives for each candidate word what is to be maximised if that word comes; in
    eval mode the log-probabilities of the translator. So the loop of `training.fit`, which picks
    the word that came, trains either, and validation means the same for all of them.

    Args:
        model: the translator, trained in place.
    """

    def __init__(self, model: MarginalTranslator) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Teacher forcing; attention only in eval mode."""
        if not self.training:
            log_probs, attention = self.model(source, source_mask, target_in)
            return log_probs, attention
        memory = self.model.encode(source, source_mask)
        hidden = rearrange(self.model.start(memory)["hidden"], "b h -> 1 b h").contiguous()
        states, _ = self.model.decoder(self.model.target_embedding(target_in), hidden)
        return self.gain(states, memory), {}

    def gain(
        self, states: Float[Tensor, "batch query hidden"], memory: Tree
    ) -> Float[Tensor, "batch query vocabulary"]:
        """What is to be maximised, for each candidate word."""
        raise NotImplementedError


class LowerBound(Objective):
    """The exact bound: sum_j alpha_j log p(y | z = j)."""

    def gain(
        self, states: Float[Tensor, "batch query hidden"], memory: Tree
    ) -> Float[Tensor, "batch query vocabulary"]:
        """The bound for each candidate word."""
        return lower_bound(self.model.weigh(states, memory), self.model.given_each(states, memory))


class Reinforce(Objective):
    """The bound by chance: only positions that were drawn are read.

    Args:
        model: the translator, trained in place.
        baseline: b(s_t), trained along by squared error; none when left out.
        samples: positions drawn for each target word, at least 1.
        entropy_weight: lambda, of the entropy of alpha that is added (Xu et al., 2015, eq. 11).
        baseline_weight: of the squared error. Adam does not notice such a factor; the clipping of
            the gradient, which is common to all parameters, does.

    Raises:
        ValueError: nothing is to be drawn.
    """

    def __init__(
        self,
        model: MarginalTranslator,
        baseline: Baseline | None = None,
        samples: int = 1,
        entropy_weight: float | int = 0.0,
        baseline_weight: float | int = 0.05,
    ) -> None:
        super().__init__(model)
        if samples < 1:
            raise ValueError(f"samples is {samples}; expected at least 1")
        self.baseline = baseline
        self.samples = samples
        self.entropy_weight = entropy_weight
        self.baseline_weight = baseline_weight

    def gain(
        self, states: Float[Tensor, "batch query hidden"], memory: Tree
    ) -> Float[Tensor, "batch query vocabulary"]:
        """An estimate for each candidate word: the mean over the positions that were drawn."""
        log_weights = self.model.weigh(states, memory)
        many = log_weights.expand(self.samples, *log_weights.shape)
        chosen = rearrange(sample_keys(many.exp()), "s b q -> s b q 1")
        log_chosen = many.gather(-1, chosen)[..., 0]
        # a query that may read nothing draws nothing
        log_chosen = log_chosen.masked_fill(log_chosen.isneginf(), 0.0)
        log_given = self.model.given(
            states.expand(self.samples, *states.shape), _taken(memory, chosen)
        )
        guess = None if self.baseline is None else self.baseline(states)
        gain = score_function(
            log_given, log_chosen, None if guess is None else guess.expand_as(log_chosen)
        ).mean(dim=0)
        if self.entropy_weight:
            gain = gain + self.entropy_weight * rearrange(entropy(log_weights), "b q -> b q 1")
        if guess is not None:
            error = (log_given.detach() - rearrange(guess, "b q -> b q 1")).square().mean(dim=0)
            # of no value, only of a gradient: what is reported stays a log-probability
            gain = gain - self.baseline_weight * (error - error.detach())
        return gain


def _taken(
    memory: Tree, chosen: Int[Tensor, "samples batch query 1"]
) -> Float[Tensor, "samples batch query hidden"]:
    """The annotation at each position that was drawn; zeros for a sentence without words."""
    annotations = memory["annotations"]
    sentence = torch.arange(annotations.shape[0], device=annotations.device)
    return annotations[rearrange(sentence, "b -> 1 b 1"), chosen[..., 0]]
