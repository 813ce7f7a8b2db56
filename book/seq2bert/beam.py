"""Beam search: keep the likeliest few beginnings of a translation, not only the one.

With one beginning it is greedy search; with as many as there are, exhaustive search. The browser
does the same (`book/frontend/src/engines/browser/search.ts`), tie for tie. What a search looked at
on its way is told to a `Watch`; `seq2bert.search_tree` makes a tree of it.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from seq2bert.attention_map import Kind
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator, Tree, select
from seq2bert.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A beginning of a translation, or a whole one.

    Attributes:
        tokens: the ids written so far, `<eos>` included if it came.
        log_prob: of these tokens, in nats.
        finished: whether the last one is `<eos>`.
        log_probs: for each token the log-probabilities it was chosen from, shape (vocabulary).
        attention: for each token the weights by kind, shape (layer, head, key).
    """

    tokens: tuple[int, ...] = ()
    log_prob: float = 0.0
    finished: bool = False
    log_probs: tuple[Tensor, ...] = ()
    attention: tuple[dict[Kind, Tensor], ...] = ()

    def score(self, length_penalty: float) -> float:
        """What hypotheses are ranked by: log p / length^penalty; `<eos>` counts in the length.

        A penalty of 0 ranks by probability, which favours short ones; 1 by the mean for a token.
        """
        length = float(max(1, len(self.tokens)))
        return self.log_prob / math.pow(length, length_penalty)


_LEAST = -sys.float_info.max  # anything but what has probability 0

Watch = Callable[[Sequence[Hypothesis], Tensor, Sequence[tuple[int, int]]], None]
"""Hears of every step: the live hypotheses, the log-probabilities of what may follow each of them,
shape (live, vocabulary), and which (hypothesis, token) pairs were kept, the best first."""


def search(
    model: Translator,
    memory: Tree,
    vocabulary: Vocabulary,
    width: int = 4,
    prefix: Sequence[int] = (),
    max_length: int = 60,
    length_penalty: float = 1.0,
    interventions: Interventions = NO_INTERVENTIONS,
    watch: Watch | None = None,
) -> list[Hypothesis]:
    """Translate one sentence; the best hypothesis comes first.

    At each step every live hypothesis is continued by every token, and the likeliest `width`
    of all continuations are kept (what has probability 0 never is). One that ends in `<eos>` is
    done: it is never continued, and takes one place of the beam with it. Of equal ones the one
    whose hypothesis came first wins, then the one with the smaller id.

    Args:
        model: a translator in eval mode.
        memory: what `model.encode` gave for this one sentence (batch 1).
        vocabulary: of the target.
        width: how many hypotheses are kept, at least 1.
        prefix: ids that the translation must begin with.
        max_length: at most so many tokens are written, `<eos>` not counted.
        length_penalty: see `Hypothesis.score`; it ranks what is done, not what is kept on the way.
        interventions: changes to the running model.
        watch: hears of every step.

    Returns:
        the finished hypotheses, the best first, then those that met the limit.

    Raises:
        ValueError: the width or the limit is not positive, or the prefix is longer than the limit.
    """
    for name, value in (("width", width), ("max_length", max_length)):
        if value < 1:
            raise ValueError(f"{name} is {value}; expected at least 1")
    if len(prefix) > max_length + 1:
        raise ValueError(f"the prefix has {len(prefix)} tokens; at most {max_length} are written")
    device = memory["mask"].device
    live, done, cut = [Hypothesis()], list[Hypothesis](), list[Hypothesis]()
    state = model.start(memory)
    for position in range(max_length + 1):
        token = torch.tensor([h.tokens[-1] if h.tokens else vocabulary.bos for h in live])
        rows = torch.zeros(len(live), dtype=torch.long, device=device)
        log_probs, state, attention = model.step(
            token.to(device), state, select(memory, rows), interventions
        )
        log_probs = log_probs.cpu()
        weights = [
            {kind: tensor[row, :, :, 0].cpu() for kind, tensor in attention.items()}
            for row in range(len(live))
        ]
        if position < len(prefix):
            chosen = [(0, prefix[position])]
        else:
            chosen = likeliest(live, log_probs, width - len(done))
        if watch is not None:
            watch(live, log_probs, chosen)
        kept: list[tuple[int, Hypothesis]] = []
        for row, index in chosen:
            parent = live[row]
            longer = Hypothesis(
                (*parent.tokens, index),
                parent.log_prob + float(log_probs[row, index]),
                index == vocabulary.eos,
                (*parent.log_probs, log_probs[row]),
                (*parent.attention, weights[row]),
            )
            if longer.finished:
                done.append(longer)
            elif position == max_length:  # at the limit only <eos> may still come
                cut.append(parent)
            else:
                kept.append((row, longer))
        live = [hypothesis for _, hypothesis in kept]
        if not live or len(done) >= width:
            break
        state = select(state, torch.tensor([row for row, _ in kept], device=device))
    ranked = [
        sorted(group, key=lambda hypothesis: -hypothesis.score(length_penalty))
        for group in (done, _once(cut))
    ]
    return ranked[0] + ranked[1]


def totals(live: Sequence[Hypothesis], log_probs: Tensor) -> Tensor:
    """The log-probability of every continuation, in double precision: (live, vocabulary)."""
    before = torch.tensor([hypothesis.log_prob for hypothesis in live], dtype=torch.float64)
    return before.unsqueeze(1) + log_probs.double()


def likeliest(live: Sequence[Hypothesis], log_probs: Tensor, count: int) -> list[tuple[int, int]]:
    """The (hypothesis, token) pairs with the largest log-probability, the best first."""
    scores = totals(live, log_probs).flatten()
    # topk is fast and decides among equal ones as it likes: it only says how much is enough
    enough = max(float(scores.topk(min(count, len(scores))).values[-1]), _LEAST)
    places = (scores >= enough).nonzero().flatten()
    order = scores[places].sort(descending=True, stable=True).indices[:count]
    return [divmod(place, log_probs.shape[1]) for place in places[order].tolist()]


def _once(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    return list({hypothesis.tokens: hypothesis for hypothesis in hypotheses}.values())
