"""The best translation for certain: list everything, or search with a bound that loses nothing."""

from collections.abc import Sequence

import torch
from torch import Tensor

from seq2bert.beam import Hypothesis, totals
from seq2bert.translator import Translator, Tree, select
from seq2bert.vocabulary import Vocabulary

Listed = dict[tuple[int, ...], float]
"""Log-probabilities by token ids, `<eos>` included."""


@torch.no_grad()
def exhaustive(model: Translator, memory: Tree, vocabulary: Vocabulary, max_length: int) -> Listed:
    """Every sentence that a model can write, with its log-probability, the likeliest first.

    Args:
        model: a translator in eval mode.
        memory: what `model.encode` gave for this one sentence (batch 1).
        vocabulary: of the target.
        max_length: at most so many words, `<eos>` not counted; keep it small, for there are
            about |vocabulary|^max_length sentences.

    Returns:
        the sentences, each with its `<eos>`; those of probability 0 are left out. Their
        probabilities add up to 1, less what belongs to longer ones.

    Raises:
        ValueError: the limit is not positive, or a million beginnings are not enough.
    """
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}; expected at least 1")
    ended: Listed = {}
    begun: Listed = {(): 0.0}
    state = model.start(memory)
    for position in range(max_length + 1):
        log_probs, state = _next(model, list(begun), state, memory, vocabulary)
        grown = [
            (row, (*tokens, token), before + float(log_probs[row, token]))
            for row, (tokens, before) in enumerate(begun.items())
            for token in (log_probs[row] > -torch.inf).nonzero().flatten().tolist()
        ]
        ended |= {tokens: total for _, tokens, total in grown if tokens[-1] == vocabulary.eos}
        going = [one for one in grown if one[1][-1] != vocabulary.eos]
        if position == max_length or not going:
            break
        if len(going) > 1_000_000:
            raise ValueError(
                f"there are {len(going):,} beginnings of {position + 1} words; lower max_length, "
                "or take a model with fewer words"
            )
        begun = {tokens: total for _, tokens, total in going}
        state = select(
            state, torch.tensor([row for row, _, _ in going], device=memory["mask"].device)
        )
    return dict(sorted(ended.items(), key=lambda item: -item[1]))


@torch.no_grad()
def most_probable(
    model: Translator,
    memory: Tree,
    vocabulary: Vocabulary,
    known: float | int,
    max_length: int = 60,
    largest: int = 20_000,
) -> Hypothesis | None:
    r"""The most probable translation, for certain (after Stahlberg and Byrne, 2019).

    A beginning is never less probable than what it grows into. So whoever knows a translation of
    probability p may drop every beginning below p and loses nothing that is better. At most 1/p
    beginnings of one length are left, since their probabilities add up to 1 or less.

    Args:
        model: a translator in eval mode.
        memory: what `model.encode` gave for this one sentence (batch 1).
        vocabulary: of the target.
        known: the log-probability of a finished translation, from any search.
        max_length: at most so many words, `<eos>` not counted.
        largest: most beginnings of one length that are looked at.

    Returns:
        the most probable finished translation at least as probable as `known`; None when there
        would be more than `largest` beginnings to look at, or nothing finished is so probable.

    Raises:
        ValueError: `known` is no log-probability of anything possible.
    """
    if not -torch.inf < known <= 0:
        raise ValueError(f"known is {known}; expected the log-probability of a translation")
    bound = float(known) - 1e-4  # what is known must not be lost by rounding
    best: Hypothesis | None = None
    live, state = [Hypothesis()], model.start(memory)
    for position in range(max_length + 1):
        log_probs, state = _next(model, [h.tokens for h in live], state, memory, vocabulary)
        scores = totals(live, log_probs)
        ends = scores[:, vocabulary.eos]
        row = int(ends.argmax())
        if float(ends[row]) >= bound:
            best = Hypothesis((*live[row].tokens, vocabulary.eos), float(ends[row]), True)
            bound = best.log_prob
        scores[:, vocabulary.eos] = -torch.inf
        going: Tensor = (scores >= bound).nonzero()
        if len(going) == 0 or position == max_length:
            break
        if len(going) > largest:
            return None
        live = [
            Hypothesis((*live[parent].tokens, token), float(scores[parent, token]))
            for parent, token in going.tolist()
        ]
        state = select(state, going[:, 0].to(memory["mask"].device))
    return best


def _next(
    model: Translator,
    begun: Sequence[tuple[int, ...]],
    state: Tree,
    memory: Tree,
    vocabulary: Vocabulary,
) -> tuple[Tensor, Tree]:
    """What may follow each of some beginnings of one sentence: (beginnings, vocabulary)."""
    device = memory["mask"].device
    last = torch.tensor([tokens[-1] if tokens else vocabulary.bos for tokens in begun])
    rows = torch.zeros(len(begun), dtype=torch.long, device=device)
    log_probs, after, _ = model.step(last.to(device), state, select(memory, rows))
    return log_probs.cpu(), after
