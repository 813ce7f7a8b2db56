"""BLEU and chrF by hand, for reading: n-grams counted, clipped, averaged.

Scores of the book come from sacreBLEU (`seq2bert.metrics.bleu`); tests hold the two together.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 4
LONGEST_CHARACTERS = 6


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each run of n tokens occurs.

    Raises:
        ValueError: n is less than 1, or the tokens are one string.
    """
    if n < 1:
        raise ValueError(f"n is {n}; expected at least 1")
    if isinstance(tokens, str):
        raise ValueError(f"the tokens are the string {tokens!r}; split it first")
    return Counter(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


@dataclass(frozen=True)
class Bleu:
    """The counts that BLEU is made of (Papineni et al., 2002); corpora add up theirs.

    Attributes:
        matches: for n = 1 to 4, the n-grams of the output that stand in the reference, each at
            most as often as there.
        totals: for n = 1 to 4, all n-grams of the output.
        length: of the output, in tokens.
        reference_length: of the reference, in tokens.
    """

    matches: tuple[int, ...]
    totals: tuple[int, ...]
    length: int
    reference_length: int

    def __add__(self, other: "Bleu") -> "Bleu":
        """The counts of both."""
        return Bleu(
            tuple(a + b for a, b in zip(self.matches, other.matches, strict=True)),
            tuple(a + b for a, b in zip(self.totals, other.totals, strict=True)),
            self.length + other.length,
            self.reference_length + other.reference_length,
        )

    @property
    def precisions(self) -> tuple[float, ...]:
        """Share of n-grams that match, for n = 1 to 4; 0 where there is none."""
        pairs = zip(self.matches, self.totals, strict=True)
        return tuple(match / total if total else 0.0 for match, total in pairs)

    @property
    def brevity_penalty(self) -> float:
        """1 for output as long as the reference or longer; else below 1, and 0 for none.

        exp(1 - reference_length / length), for output that is shorter.
        """
        if self.length >= self.reference_length:
            return 1.0
        return math.exp(1 - self.reference_length / self.length) if self.length else 0.0

    @property
    def score(self) -> float:
        """The geometric mean of the precisions times the brevity penalty, from 0 to 100.

        Without smoothing: one length of which nothing matches makes it 0.
        """
        if not all(self.precisions):
            return 0.0
        mean = math.exp(sum(math.log(precision) for precision in self.precisions) / LONGEST)
        return 100 * self.brevity_penalty * mean


def count(hypothesis: Sequence[str], reference: Sequence[str]) -> Bleu:
    """The counts of one sentence against one reference.

    Raises:
        ValueError: the reference is empty, or one of both is a string.
    """
    if len(reference) == 0:
        raise ValueError("the reference is empty; a reference has at least one token")
    matches, totals = [], []
    for n in range(1, LONGEST + 1):
        written, wanted = ngrams(hypothesis, n), ngrams(reference, n)
        # a word that is repeated counts no more often than in the reference
        matches.append((written & wanted).total())
        totals.append(written.total())
    return Bleu(tuple(matches), tuple(totals), len(hypothesis), len(reference))


def chrf(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """chrF2 of one sentence, 0 to 100: runs of 1 to 6 characters, blanks left out.

    F = 100 (1 + b^2) P R / (b^2 P + R) (Popović, 2015) with b = 2 (Popović, 2016): recall counts
    twice as much as precision. P and R are means over the lengths that both sentences have.

    Raises:
        ValueError: the reference is empty, or one of both is a string.
    """
    for name, tokens in (("hypothesis", hypothesis), ("reference", reference)):
        if isinstance(tokens, str):
            raise ValueError(f"the {name} is the string {tokens!r}; split it first")
    if len(reference) == 0:
        raise ValueError("the reference is empty; a reference has at least one token")
    precisions, recalls = [], []
    for n in range(1, LONGEST_CHARACTERS + 1):
        written, wanted = (ngrams(list("".join(t)), n) for t in (hypothesis, reference))
        if written and wanted:
            matches = (written & wanted).total()
            precisions.append(matches / written.total())
            recalls.append(matches / wanted.total())
    if not any(precisions):
        return 0.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * 5 * precision * recall / (4 * precision + recall)
