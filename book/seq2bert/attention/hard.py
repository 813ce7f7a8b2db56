"""Hard attention: one key is read, and which one is left to chance.

The position z that is read is a latent variable: z = j with probability alpha_j. Where a model is
small enough to be asked about every position, what chance estimates can be computed exactly; both
are here, so that one can be held against the other.

Keys are on the last axis of weights and on the last but one of `log_given`, whose last axis holds
candidates for the next word. A masked key is never drawn; a query without any key contributes 0.
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from seq2bert.attention.distributions import _check, masked_softmax


def masked_log_softmax(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
) -> Float[Tensor, "*batch query key"]:
    """log alpha, the logarithm of `masked_softmax`, without ever computing alpha.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        logarithms of the same shape; -inf for a masked key, with the gradient 0.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    _check(energy, mask)
    nothing = ~mask.any(dim=-1, keepdim=True)
    energy = energy.masked_fill(~mask, -torch.inf).masked_fill(nothing, 0.0)
    return energy.log_softmax(dim=-1).masked_fill(~mask, -torch.inf)


def log_marginal(
    log_weights: Float[Tensor, "*batch key"], log_given: Float[Tensor, "*batch key word"]
) -> Float[Tensor, "*batch word"]:
    """log p(y) = log sum_j alpha_j p(y | z = j): every position in turn, none overlooked.

    Args:
        log_weights: log alpha, -inf where a key is masked, shape (..., key).
        log_given: log p(y | z = j) for each position and each candidate y, shape (..., key, word).

    Returns:
        shape (..., word); 0 where all keys are masked.
    """
    nothing = log_weights.isneginf().all(dim=-1, keepdim=True)
    joint = rearrange(log_weights.masked_fill(nothing, 0.0), "... j -> ... j 1") + log_given
    return joint.logsumexp(dim=-2).masked_fill(nothing, 0.0)


def lower_bound(
    log_weights: Float[Tensor, "*batch key"], log_given: Float[Tensor, "*batch key word"]
) -> Float[Tensor, "*batch word"]:
    """sum_j alpha_j log p(y | z = j), never above `log_marginal` (Xu et al., 2015, eq. 10).

    Args:
        log_weights: log alpha, -inf where a key is masked, shape (..., key).
        log_given: log p(y | z = j) for each position and each candidate y, shape (..., key, word).

    Returns:
        shape (..., word); 0 where all keys are masked.
    """
    return einsum(log_weights.exp(), log_given, "... j, ... j word -> ... word")


def entropy(log_weights: Float[Tensor, "*batch key"]) -> Float[Tensor, "*batch"]:
    """H[alpha] = -sum_j alpha_j log alpha_j in nats, with 0 log 0 = 0.

    Args:
        log_weights: log alpha, -inf where a key is masked.
    """
    finite = log_weights.masked_fill(log_weights.isneginf(), 0.0)
    return -(log_weights.exp() * finite).sum(dim=-1)


def sample_keys(
    weights: Float[Tensor, "*batch key"], generator: torch.Generator | None = None
) -> Int[Tensor, "*batch"]:
    """Draw a key from each row: a race in which key j needs the time T_j / alpha_j, T_j ~ Exp(1).

    Args:
        weights: not negative; a row need not sum to 1. A key of weight 0 does not start.
        generator: of the chance.

    Returns:
        the index of each winner; 0 for a row of zeros, which has none.
    """
    times = torch.empty_like(weights, requires_grad=False).exponential_(generator=generator)
    speed = weights.detach() / times.clamp_min(torch.finfo(times.dtype).tiny)
    return speed.masked_fill(weights == 0, -1.0).argmax(dim=-1)


def score_function(
    log_given: Float[Tensor, "*batch word"],
    log_chosen: Float[Tensor, "*batch"],
    baseline: Float[Tensor, "*batch"] | None = None,
) -> Float[Tensor, "*batch word"]:
    """REINFORCE: log p(y | z) of a drawn z, with a gradient that is right on the average.

    Its gradient is grad log p(y | z) + (log p(y | z) - b) grad log alpha_z, whose mean over z is
    the gradient of `lower_bound`, for any b that does not depend on z (Williams, 1992; Xu et al.,
    2015, eq. 11-12). The factor is not differentiated.

    Args:
        log_given: log p(y | z) for each candidate y, at the key that was drawn.
        log_chosen: log alpha_z of that key.
        baseline: b; 0 when left out.
    """
    gain = log_given if baseline is None else log_given - baseline.unsqueeze(-1)
    # the difference is 0, its gradient is that of log alpha_z
    return log_given + gain.detach() * (log_chosen - log_chosen.detach()).unsqueeze(-1)


class Baseline(nn.Module):
    """b(s_t): what log p(y | z) will be, guessed from the state alone (Mnih & Gregor, 2014).

    A guess that does not know z leaves the mean of the estimate where it is.

    Args:
        size: width of a state.
        words: how many candidates there are; the first guess is log(1 / words).
    """

    def __init__(self, size: int, words: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size, 1)
        nn.init.zeros_(self.linear.weight)
        nn.init.constant_(self.linear.bias, -torch.tensor(float(words)).log().item())

    def forward(self, state: Float[Tensor, "*batch hidden"]) -> Float[Tensor, "*batch"]:
        """The guess; nothing of its error flows into the state."""
        guess: Tensor = self.linear(state.detach())
        return guess[..., 0]


def best_key(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
) -> Float[Tensor, "*batch query key"]:
    """A distribution function: all the weight on the key with the highest energy.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        a 1 in each row, else 0; a row whose keys are all masked is 0 throughout.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    weights = masked_softmax(energy, mask)
    return _one_hot(weights.argmax(dim=-1), weights)


def sampled_key(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*batch query key"]:
    """A distribution function: all the weight on one key, drawn from the softmax.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.
        generator: of the chance.

    Returns:
        a 1 in each row, else 0; a row whose keys are all masked is 0 throughout.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    weights = masked_softmax(energy, mask)
    return _one_hot(sample_keys(weights, generator), weights)


def straight_through(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query #key"],
    temperature: float | int = 1.0,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*batch query key"]:
    """One drawn key forwards, a soft one backwards (Jang et al., 2017; Maddison et al., 2017).

    With G_j = -log(-log U_j), argmax_j (e_j + G_j) is a draw from the softmax of e. The gradient
    is that of softmax((e + G) / temperature): an estimate with a bias.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.
        temperature: above 0; the smaller, the less bias and the more variance.
        generator: of the chance.

    Returns:
        a 1 in each row, else 0; a row whose keys are all masked is 0 throughout.

    Raises:
        ValueError: the temperature is not positive, the mask is not boolean, or it does not
            broadcast to the energy.
    """
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}; expected a number above 0")
    times = torch.empty_like(energy, requires_grad=False).exponential_(generator=generator)
    noise = -times.clamp_min(torch.finfo(times.dtype).tiny).log()
    soft = masked_softmax((energy + noise) / temperature, mask)
    return _one_hot(soft.argmax(dim=-1), soft) + (soft - soft.detach())


class StraightThrough(nn.Module):
    """`straight_through` as a distribution function; in eval mode `best_key`."""

    def __init__(self, temperature: float | int = 1.0) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(
        self,
        energy: Float[Tensor, "*batch query key"],
        mask: Bool[Tensor, "*#batch #query #key"],
    ) -> Float[Tensor, "*batch query key"]:
        """A 1 in each row, else 0."""
        if not self.training:
            return best_key(energy, mask)
        return straight_through(energy, mask, self.temperature)


def _one_hot(
    keys: Int[Tensor, "*batch"], weights: Float[Tensor, "*batch key"]
) -> Float[Tensor, "*batch key"]:
    """1 at the given key of each row, as wide as the weights; 0 in rows that have no weight."""
    hot = functional.one_hot(keys, weights.shape[-1]).to(weights.dtype)
    return hot * (weights > 0).any(dim=-1, keepdim=True)
