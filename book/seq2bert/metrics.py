"""How good is a translation, and how well does attention agree with the truth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seq2bert.attention_map import AttentionMap, Cells

Tokens = Sequence[str]


def _check_sentences(hypotheses: Sequence[Tokens], references: Sequence[Tokens]) -> None:
    if len(hypotheses) != len(references):
        raise ValueError(
            f"{len(hypotheses)} hypotheses, but {len(references)} references; give one of each "
            "for every sentence, in the same order"
        )
    if not references:
        raise ValueError("no sentences to score; give at least one")
    for name, sentences in (("hypothesis", hypotheses), ("reference", references)):
        for index, sentence in enumerate(sentences):
            if isinstance(sentence, str):
                raise ValueError(
                    f"{name} {index} is the string {sentence!r}; split it into tokens first"
                )
    empty = next((i for i, reference in enumerate(references) if not reference), None)
    if empty is not None:
        raise ValueError(f"reference {empty} is empty; a reference has at least one token")


def exact_match(*, hypotheses: Sequence[Tokens], references: Sequence[Tokens]) -> float:
    """Share of sentences that are right to the last token, in [0, 1].

    Raises:
        ValueError: the numbers of sentences differ, a sentence is a string, or a reference is
            empty.
    """
    _check_sentences(hypotheses, references)
    right = sum(tuple(h) == tuple(r) for h, r in zip(hypotheses, references, strict=True))
    return right / len(references)


def bleu(*, hypotheses: Sequence[Tokens], references: Sequence[Tokens]) -> float:
    """Corpus BLEU, 0 to 100, by sacreBLEU (Post, 2018) on the tokens as they are.

    No tokenizer is applied, n-grams go up to four and zero counts are smoothed by sacreBLEU's
    default ("exp"), so that a corpus of very short sentences does not come out as 0. The arguments
    go by name: hypotheses and references are not interchangeable (the brevity penalty).

    Raises:
        ValueError: the numbers of sentences differ, a sentence is a string, or a reference is
            empty.
    """
    import sacrebleu

    _check_sentences(hypotheses, references)
    # effective_order: a corpus in which no sentence has four tokens is scored on what it has
    score = sacrebleu.corpus_bleu(
        [" ".join(sentence) for sentence in hypotheses],
        [[" ".join(sentence) for sentence in references]],
        tokenize="none",
        force=True,
        use_effective_order=True,
    )
    return float(score.score)


@dataclass(frozen=True)
class AlignmentScore:
    """Counts behind an alignment error rate; add them up with `+`, never average rates.

    Attributes:
        predicted: links that were predicted, |A|.
        sure: sure links of the truth, |S|.
        hits_sure: predicted links that are sure, |A and S|.
        hits_possible: predicted links that are possible, |A and P|.
    """

    predicted: int = 0
    sure: int = 0
    hits_sure: int = 0
    hits_possible: int = 0

    def __add__(self, other: "AlignmentScore") -> "AlignmentScore":
        """The score of both sets of sentences together."""
        return AlignmentScore(
            self.predicted + other.predicted,
            self.sure + other.sure,
            self.hits_sure + other.hits_sure,
            self.hits_possible + other.hits_possible,
        )

    @property
    def error_rate(self) -> float:
        """AER = 1 - (|A and S| + |A and P|) / (|A| + |S|) (Och and Ney, 2003, eq. 21).

        Raises:
            ValueError: nothing was predicted and nothing is sure.
        """
        return 1 - (self.hits_sure + self.hits_possible) / self._total()

    @property
    def error_rate_sure(self) -> float:
        """The same with sure links alone (P = S): every other link counts as an error."""
        return 1 - 2 * self.hits_sure / self._total()

    @property
    def precision(self) -> float:
        """Share of the predicted links that are possible."""
        if not self.predicted:
            raise ValueError("no predicted links; precision is not defined")
        return self.hits_possible / self.predicted

    @property
    def recall(self) -> float:
        """Share of the sure links that were predicted."""
        if not self.sure:
            raise ValueError("no sure links; recall is not defined")
        return self.hits_sure / self.sure

    def _total(self) -> int:
        if not self.predicted + self.sure:
            raise ValueError("no predicted and no sure links; the error rate is not defined")
        return self.predicted + self.sure


def score_alignment(predicted: Cells, sure: Cells, possible: Cells) -> AlignmentScore:
    """Compare predicted links with the truth; links are cells (query, key).

    Raises:
        ValueError: a sure link is not possible.
    """
    if not sure <= possible:
        raise ValueError(
            f"the sure links {sorted(sure - possible)} are not among the possible ones; every "
            "sure link is possible"
        )
    return AlignmentScore(
        len(predicted), len(sure), len(predicted & sure), len(predicted & possible)
    )


def alignment_score(maps: Iterable[AttentionMap], layer: int = 0, head: int = 0) -> AlignmentScore:
    """Read each map as an alignment (arg-max source word of each target word) and score it.

    Args:
        maps: maps with gold; the rows of `<eos>` already left out.
        layer: which layer.
        head: which head.

    Raises:
        ValueError: there are no maps, or one has no gold.
    """
    total, count = AlignmentScore(), 0
    for count, attention in enumerate(maps, start=1):
        if not attention.possible:
            raise ValueError(
                f"map {count - 1} ({' '.join(attention.query_tokens)!r}) has no gold links; make "
                "it from a pair of the corpus"
            )
        total += score_alignment(attention.argmax(layer, head), attention.sure, attention.possible)
    if not count:
        raise ValueError("no maps to score; give at least one")
    return total
