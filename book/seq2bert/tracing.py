"""One translation with all that a reader may ask about it: what it looked at, what else it thought.

A widget shows a `Trace`; in a notebook the running model makes it, on the site the same model in
the reader's browser (`book/frontend/src/engines`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seq2bert import beam
from seq2bert.attention_map import AttentionMap, Kind, axes_of
from seq2bert.decoding import rows_together
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator
from seq2bert.vocabulary import EOS, Vocabulary

LONGEST_SOURCE = 60
LONGEST_TARGET = 60


@dataclass(frozen=True)
class Step:
    """One word of a translation.

    Attributes:
        token: what was written.
        log_prob: of this token, in nats.
        alternatives: the likeliest tokens at this place with their log-probabilities, best first.
    """

    token: str
    log_prob: float
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """A translation, word by word.

    Attributes:
        source: the words that were read, as they were given.
        steps: one for each token that was written, `<eos>` included if it came.
        attention: weights by kind, shape (layer, head, query, key), a query for each step; in the
            encoder, for each word of the source.
        hypotheses: what beam search found, best first: tokens (without `<eos>`) and score; the
            steps are those of the first.
    """

    source: tuple[str, ...]
    steps: tuple[Step, ...]
    attention: dict[Kind, Tensor]
    hypotheses: tuple[tuple[tuple[str, ...], float], ...]

    @property
    def finished(self) -> bool:
        """Whether the translation came to its end before the limit."""
        return bool(self.steps) and self.steps[-1].token == EOS

    @property
    def tokens(self) -> tuple[str, ...]:
        """What was written, without `<eos>`."""
        written = tuple(step.token for step in self.steps)
        return written[:-1] if self.finished else written

    def map(self, kind: Kind = "cross") -> AttentionMap:
        """The attention of every step, `<eos>` included."""
        queries, keys = axes_of(kind, self.source, [step.token for step in self.steps])
        return AttentionMap(self.attention[kind].numpy(), queries, keys, kind)


@torch.no_grad()
def trace(
    model: Translator,
    source: Sequence[str],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    prefix: Sequence[str] = (),
    width: int = 1,
    alternatives: int = 8,
    interventions: Interventions = NO_INTERVENTIONS,
) -> Trace:
    """Translate one sentence and keep what happened at each step.

    Args:
        model: a translator in eval mode.
        source: its words; unknown ones are read as `<unk>`.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        prefix: words that the translation must begin with (`<eos>` may be the last).
        width: of the beam; 1 is greedy search.
        alternatives: how many tokens are kept at each place.
        interventions: changes to the running model.

    Raises:
        ValueError: the source is empty or longer than 60 words, or the prefix holds an unknown
            word.
    """
    if isinstance(source, str) or not source:
        raise ValueError(f"the source is {source!r}; expected a list of words, not empty")
    if len(source) > LONGEST_SOURCE:
        raise ValueError(f"{len(source)} words; at most {LONGEST_SOURCE} are translated: shorten")
    unknown = next((word for word in prefix if word not in target_vocabulary), None)
    if unknown is not None:
        raise ValueError(f"the prefix holds {unknown!r}, which is not in the target vocabulary")
    device = next(model.parameters()).device if isinstance(model, nn.Module) else None
    ids = torch.tensor([source_vocabulary.encode(source)], device=device)
    memory = model.encode(ids, torch.ones_like(ids, dtype=torch.bool), interventions)
    found = beam.search(
        model,
        memory,
        target_vocabulary,
        width,
        target_vocabulary.encode(prefix),
        LONGEST_TARGET,
        interventions=interventions,
    )
    best = found[0]
    steps = []
    for token, log_probs in zip(best.tokens, best.log_probs, strict=True):
        order = log_probs.sort(descending=True, stable=True).indices[:alternatives].tolist()
        steps.append(
            Step(
                target_vocabulary.tokens[token],
                float(log_probs[token]),
                tuple((target_vocabulary.tokens[i], float(log_probs[i])) for i in order),
            )
        )
    attention: dict[Kind, Tensor] = {
        kind: rows_together([step[kind].unsqueeze(2) for step in best.attention], dim=2)
        for kind in best.attention[0]
    }
    if "encoder" in memory:
        attention["encoder"] = memory["encoder"][0].cpu()
    return Trace(
        tuple(source),
        tuple(steps),
        attention,
        tuple(
            (
                target_vocabulary.decode(h.tokens[:-1] if h.finished else h.tokens),
                h.score(1.0),
            )
            for h in found
        ),
    )
