"""A translator small enough to write down: all its probabilities stand in one table."""

from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree
from seq2bert.vocabulary import BOS, Vocabulary


class TableModel:
    """A `Translator` whose next word depends on the previous one alone: a table of log-probs.

    It never looks at the source. That makes it a poor translator and a good test: everything
    that it can write can be listed, with its probability (`seq2bert.exact.exhaustive`).

    Args:
        log_probs: row i holds the log-probabilities of what follows token i; -inf for what
            cannot follow. Shape (vocabulary, vocabulary).

    Raises:
        ValueError: a row is no distribution.
    """

    def __init__(self, log_probs: Float[Tensor, "vocabulary vocabulary"]) -> None:
        sums = log_probs.double().exp().sum(dim=-1)
        wrong = (sums - 1).abs() > 1e-4
        if bool(wrong.any()) or bool(sums.isnan().any()):
            row = int(wrong.nonzero()[0]) if bool(wrong.any()) else int(sums.isnan().nonzero()[0])
            raise ValueError(f"row {row} adds up to {float(sums[row]):.4f}; expected 1")
        self.log_probs = log_probs

    @classmethod
    def of(
        cls, follows: Mapping[str, Mapping[str, float | int]], vocabulary: Vocabulary
    ) -> "TableModel":
        """From probabilities by word: what follows `<bos>`, what follows each word.

        Args:
            follows: for a word the probabilities of what follows it; they are divided by their
                sum. After a word that is not named comes `<eos>`.
            vocabulary: of the target.

        Raises:
            ValueError: a word is not in the vocabulary, or nothing follows `<bos>`.
        """
        if BOS not in follows:
            raise ValueError(f"nothing follows {BOS}; say how a sentence begins")
        table = torch.zeros(len(vocabulary), len(vocabulary))
        table[:, vocabulary.eos] = 1.0
        for word, row in follows.items():
            unknown = next((w for w in (word, *row) if w not in vocabulary), None)
            if unknown is not None:
                raise ValueError(f"{unknown!r} is not in the vocabulary")
            (place,) = vocabulary.encode([word])
            table[place] = 0.0
            table[place, vocabulary.encode(list(row))] = torch.tensor(
                [float(p) for p in row.values()]
            )
        return cls((table / table.sum(dim=-1, keepdim=True)).log())

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Nothing is read; the mask is remembered, as the protocol asks."""
        return {"mask": source_mask}

    def start(self, memory: Tree) -> Tree:
        """Nothing is remembered: the previous word is told at each step."""
        return {}

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """The row of the previous word; the temperature divides it. There is no attention."""
        return (self.log_probs[token] / interventions.temperature).log_softmax(dim=-1), {}, {}
