"""Judging a translator on the miniature language: how much is right, and does attention agree."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import nn

from seq2bert.attention_map import AttentionMap
from seq2bert.corpus import Link, Pair
from seq2bert.decoding import Translation, forced_maps, translate
from seq2bert.metrics import AlignmentScore, bleu, exact_match, score_alignment
from seq2bert.vocabulary import Vocabulary


def right(translations: Sequence[Translation], pairs: Sequence[Pair]) -> list[bool]:
    """For each pair whether its translation is the reference, to the last token."""
    return [t.tokens == pair.target for t, pair in zip(translations, pairs, strict=True)]


def by_group(values: Sequence[float], groups: Sequence[Any]) -> dict[Any, tuple[float, int]]:
    """Mean and count of the values in each group, groups in ascending order.

    Raises:
        ValueError: there is not one group for each value.
    """
    if len(values) != len(groups):
        raise ValueError(f"{len(values)} values, but {len(groups)} groups; give one for each value")
    collected: dict[Any, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        collected.setdefault(group, []).append(float(value))
    return {group: (sum(v) / len(v), len(v)) for group, v in sorted(collected.items())}


def length_bin(length: int, width: int = 4) -> int:
    """The middle of the stretch of lengths that a length falls into (1-4, 5-8, ...)."""
    return (length - 1) // width * width + (width + 1) // 2


def alignment_of_rows(
    maps: Iterable[AttentionMap],
    rows: Iterable[Iterable[int]],
    layer: int = 0,
    head: int = 0,
) -> AlignmentScore:
    """Score attention on some target words only: for each map the rows that count.

    Raises:
        ValueError: there is not one set of rows for each map.
    """
    total = AlignmentScore()
    for attention, wanted in zip(maps, map(set, rows), strict=True):
        total += score_alignment(
            *(
                frozenset(cell for cell in cells if cell[0] in wanted)
                for cells in (attention.argmax(layer, head), attention.sure, attention.possible)
            )
        )
    return total


def alignment_by_phenomenon(
    maps: Sequence[AttentionMap], pairs: Sequence[Pair], layer: int = 0, head: int = 0
) -> dict[str, AlignmentScore]:
    """The alignment score on the target words of each phenomenon that the pairs show."""
    shown = sorted(set().union(*(pair.phenomena for pair in pairs)))
    return {
        name: alignment_of_rows(maps, (p.spans.get(name, ()) for p in pairs), layer, head)
        for name in shown
    }


def best_possible(pairs: Iterable[Pair]) -> AlignmentScore:
    """The score of the best alignment that an arg-max can express: one source word a target word.

    Where gold links a target word to two source words, no arg-max finds both; where it links it
    to none, the arg-max still points somewhere. What is left is an error that no attention avoids.
    """
    total = AlignmentScore()
    for pair in pairs:
        chosen = set()
        for target in range(len(pair.target)):
            sure = [link for link in sorted(pair.sure) if link[0] == target]
            possible = [link for link in sorted(pair.possible) if link[0] == target]
            chosen.add((sure or possible or [Link(target, 0)])[0])
        total += score_alignment(frozenset(chosen), pair.sure, pair.possible)
    return total


def report(
    model: nn.Module,
    pairs: Sequence[Pair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    align: bool = True,
) -> dict[str, Any]:
    """Exact match, BLEU, exact match by length and, with attention, AER in all and by phenomenon.

    Args:
        model: a translator in eval mode.
        pairs: what to judge it on.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        align: whether the model has cross-attention to be scored.

    Returns:
        plain numbers, for a record.
    """
    written = translate(model, [p.source for p in pairs], source_vocabulary, target_vocabulary)  # type: ignore[arg-type]
    lengths = [length_bin(len(pair.source)) for pair in pairs]
    hypotheses, references = [t.tokens for t in written], [p.target for p in pairs]
    result: dict[str, Any] = {
        "exact": exact_match(hypotheses=hypotheses, references=references),
        "bleu": bleu(hypotheses=hypotheses, references=references),
        "exact_by_length": [
            {"length": length, "exact": mean, "count": count}
            for length, (mean, count) in by_group(right(written, pairs), lengths).items()
        ],
    }
    if align:
        maps = forced_maps(model, pairs, source_vocabulary, target_vocabulary)
        everything = alignment_of_rows(maps, (range(len(p.target)) for p in pairs))
        result["aer"] = everything.error_rate
        result["aer_sure"] = everything.error_rate_sure
        result["aer_by_phenomenon"] = {
            name: {"aer": score.error_rate, "aer_sure": score.error_rate_sure}
            for name, score in alignment_by_phenomenon(maps, pairs).items()
        }
    return result


def reaches(
    model: nn.Module,
    pairs: Sequence[Pair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    wanted: float,
) -> Callable[[nn.Module, Any], bool]:
    """A callback for `fit`: stop as soon as so large a share of the pairs comes out right."""

    def enough(trained: nn.Module, _: Any) -> bool:
        trained.eval()
        written = translate(
            trained,  # type: ignore[arg-type]
            [pair.source for pair in pairs],
            source_vocabulary,
            target_vocabulary,
        )
        return sum(right(written, pairs)) >= wanted * len(pairs)

    return enough
