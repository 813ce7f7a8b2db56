"""Is the antecedent of a pronoun read, by which head, and does the translation depend on it?

*it* and *they* have no gender; *il* and *elle*, *ils* and *elles* have that of the French noun they
stand for. A model that writes the right one must have learned which noun that is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention_map import Kind
from seq2bert.batching import make_batches
from seq2bert.corpus import Pair
from seq2bert.translator import NO_INTERVENTIONS, Interventions
from seq2bert.vocabulary import Vocabulary

PRONOUNS = ("it", "they")
OTHER_GENDER = {"il": "elle", "elle": "il", "ils": "elles", "elles": "ils"}


@dataclass(frozen=True)
class Case:
    """One pronoun whose French gender depends on a noun.

    Attributes:
        row: of its pair in the list it was found in.
        source: position of *it* or *they*.
        antecedent: position of its noun in the source.
        target: position of *il*, *elle*, *ils* or *elles*.
        noun: position of the noun in the target, before `target`.
        nearest: whether no other noun stands between pronoun and antecedent in the source.
    """

    row: int
    source: int
    antecedent: int
    target: int
    noun: int
    nearest: bool


def cases(pairs: Sequence[Pair]) -> list[Case]:
    """The pronouns of some pairs whose gender only the antecedent tells, in order."""
    found = []
    for row, pair in enumerate(pairs):
        for a in pair.antecedents:
            nouns = [link.target for link in pair.sure if link.source == a.antecedent]
            gendered = pair.target[a.target] in OTHER_GENDER
            if pair.source[a.source] in PRONOUNS and gendered and len(nouns) == 1:
                found.append(Case(row, a.source, a.antecedent, a.target, nouns[0], a.nearest))
    return [case for case in found if case.noun < case.target]


def asks_and_answers(case: Case, kind: Kind) -> tuple[int, int]:
    """Which query and which key of an attention would read the antecedent of a case.

    In the encoder *it* would look at the noun; in cross-attention the place where *elle* is
    written, at the English noun; in the decoder the same place, at the French one, which is read
    one place after it was written.
    """
    if kind == "encoder":
        return case.source, case.antecedent
    return case.target, case.antecedent if kind == "cross" else case.noun + 1


@dataclass(frozen=True, eq=False)
class Reading:
    """What was found for some cases.

    Attributes:
        weight: for each kind the weight that each head gives to the antecedent, shape
            (layer, head, case).
        looks: whether it gives it more than to any other word, same shape.
        margin: log-probability of the right pronoun less that of the other gender, in nats,
            shape (case).
    """

    weight: dict[Kind, Float[Tensor, "layer head case"]]
    looks: dict[Kind, Bool[Tensor, "layer head case"]]
    margin: Float[Tensor, "case"]

    @property
    def right(self) -> Bool[Tensor, "case"]:
        """Whether the right gender is likelier than the other."""
        return self.margin > 0


@torch.no_grad()
def read(
    model: nn.Module,
    pairs: Sequence[Pair],
    found: Sequence[Case],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    interventions: Interventions = NO_INTERVENTIONS,
    batch_size: int = 256,
) -> Reading:
    """Make a translator write the reference, and look at the place of each pronoun.

    Args:
        model: a translator in eval mode, called with teacher forcing.
        pairs: sentence pairs.
        found: `cases` of these pairs.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        interventions: changes to the running model.
        batch_size: pairs at a time.

    Raises:
        ValueError: there are no cases.
    """
    if not found:
        raise ValueError("there are no cases: no pronoun of these pairs has a gender to choose")
    concerned = sorted({case.row for case in found})
    kept = [pairs[row] for row in concerned]
    place_of = {row: place for place, row in enumerate(concerned)}
    waiting: dict[int, list[int]] = {}
    for number, case in enumerate(found):
        waiting.setdefault(place_of[case.row], []).append(number)
    weight: dict[Kind, dict[int, Tensor]] = {}
    looks: dict[Kind, dict[int, Tensor]] = {}
    margin = torch.zeros(len(found))
    for batch in make_batches(kept, source_vocabulary, target_vocabulary, batch_size):
        log_probs, attention = model(
            batch.source, batch.source_mask, batch.target_in, interventions
        )
        for place, kept_row in enumerate(batch.rows):
            for number in waiting[kept_row]:
                case, pair = found[number], kept[kept_row]
                for kind, weights in attention.items():
                    query, key = asks_and_answers(case, kind)
                    row = weights[place, :, :, query]
                    weight.setdefault(kind, {})[number] = row[..., key]
                    looks.setdefault(kind, {})[number] = row.argmax(dim=-1) == key
                word = pair.target[case.target]
                right, wrong = target_vocabulary.encode([word, OTHER_GENDER[word]])
                now = log_probs[place, case.target]
                margin[number] = now[right] - now[wrong]
    return Reading(
        {kind: _in_order(values, len(found)) for kind, values in weight.items()},
        {kind: _in_order(values, len(found)) for kind, values in looks.items()},
        margin,
    )


def without(
    model_heads: tuple[int, int], kind: Kind, heads: Iterable[tuple[int, int]]
) -> Interventions:
    """Some heads of one kind of attention switched off.

    Args:
        model_heads: how many layers and heads the model has.
        kind: of attention.
        heads: (layer, head) of each that is switched off.
    """
    factors = torch.ones(model_heads)
    for layer, head in heads:
        factors[layer, head] = 0.0
    return Interventions({kind: factors})


def _in_order(values: dict[int, Tensor], count: int) -> Tensor:
    return torch.stack([values[number] for number in range(count)], dim=-1)
