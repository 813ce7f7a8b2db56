"""Metrics against hand calculations and against sacreBLEU."""

import numpy as np
import pytest
import sacrebleu

from seq2bert.attention_map import AttentionMap
from seq2bert.metrics import (
    AlignmentScore,
    alignment_score,
    bleu,
    exact_match,
    score_alignment,
)

REFERENCE = ["le", "chat", "noir", "dort", "ici"]


def test_exact_match_counts_whole_sentences():
    hypotheses = [["a", "b"], ["a"], ["c"]]
    references = [["a", "b"], ["a", "b"], ["c"]]
    assert exact_match(hypotheses=hypotheses, references=references) == pytest.approx(2 / 3)


def test_bleu_of_a_sentence_with_itself_is_100_also_when_it_is_short():
    assert bleu(hypotheses=[REFERENCE], references=[REFERENCE]) == pytest.approx(100)
    assert bleu(hypotheses=[["oui", "."]], references=[["oui", "."]]) == pytest.approx(100)


def test_bleu_of_a_short_hypothesis_pays_the_brevity_penalty_and_the_swap_does_not():
    short = REFERENCE[:4]
    right = bleu(hypotheses=[short], references=[REFERENCE])
    assert right == pytest.approx(100 * np.exp(1 - 5 / 4))
    assert bleu(hypotheses=[REFERENCE], references=[short]) != pytest.approx(right)


def test_bleu_equals_sacrebleu_on_twenty_pairs():
    generator = np.random.default_rng(0)
    words = np.array(["a", "b", "c", "d", "e"])
    pairs = [
        (list(words[generator.integers(0, 5, 9)]), list(words[generator.integers(0, 5, 8)]))
        for _ in range(20)
    ]
    ours = bleu(hypotheses=[h for h, _ in pairs], references=[r for _, r in pairs])
    metric = sacrebleu.BLEU(tokenize="none", effective_order=True)
    theirs = metric.corpus_score([" ".join(h) for h, _ in pairs], [[" ".join(r) for _, r in pairs]])
    assert ours == pytest.approx(theirs.score)


def test_arguments_go_by_name():
    with pytest.raises(TypeError):
        bleu([REFERENCE], [REFERENCE])
    with pytest.raises(TypeError):
        exact_match([REFERENCE], [REFERENCE])


@pytest.mark.parametrize("metric", [bleu, exact_match])
@pytest.mark.parametrize(
    ("hypotheses", "references", "says"),
    [
        ([["a"]], [], "1 hypotheses, but 0 references"),
        ([], [], "no sentences"),
        (["a b"], [["a", "b"]], "hypothesis 0 is the string 'a b'"),
        ([["a"]], ["a"], "reference 0 is the string 'a'"),
        ([["a"]], [[]], "reference 0 is empty"),
    ],
)
def test_bad_sentences_are_refused(metric, hypotheses, references, says):
    with pytest.raises(ValueError, match=says):
        metric(hypotheses=hypotheses, references=references)


def test_alignment_error_rate_of_a_worked_example():
    """A = {00, 11, 22}, S = {00, 12}, P = S + {11}: AER = 1 - (1 + 2) / (3 + 2)."""
    score = score_alignment(
        frozenset({(0, 0), (1, 1), (2, 2)}),
        sure=frozenset({(0, 0), (1, 2)}),
        possible=frozenset({(0, 0), (1, 2), (1, 1)}),
    )
    assert score == AlignmentScore(predicted=3, sure=2, hits_sure=1, hits_possible=2)
    assert score.error_rate == pytest.approx(1 - 3 / 5)
    assert score.error_rate_sure == pytest.approx(1 - 2 / 5)
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(1 / 2)


def test_scores_add_up_as_counts():
    one, other = AlignmentScore(3, 2, 1, 2), AlignmentScore(1, 1, 1, 1)
    assert one + other == AlignmentScore(4, 3, 2, 3)


def test_a_perfect_alignment_has_error_zero_and_a_wrong_one_has_one():
    links = frozenset({(0, 1), (1, 0)})
    assert score_alignment(links, links, links).error_rate == 0
    assert score_alignment(frozenset({(0, 0)}), links, links).error_rate == 1


def test_rates_of_nothing_are_refused():
    for rate in ("error_rate", "error_rate_sure", "precision", "recall"):
        with pytest.raises(ValueError, match="not defined"):
            getattr(AlignmentScore(), rate)


def test_sure_links_must_be_possible():
    with pytest.raises(ValueError, match="not among the possible"):
        score_alignment(frozenset(), frozenset({(0, 0)}), frozenset())


def planted(**gold):
    weights = np.array([[0.1, 0.7, 0.2], [0.6, 0.2, 0.2]])
    return AttentionMap(weights, ("le", "chat"), ("cat", "the", "."), "cross", **gold)


def test_attention_is_read_as_an_alignment_row_by_row():
    links = frozenset({(0, 1), (1, 0)})
    assert alignment_score([planted(sure=links)]).error_rate == 0
    turned = frozenset({(1, 0), (1, 1)})
    assert alignment_score([planted(sure=turned)]).error_rate == pytest.approx(0.5)


def test_maps_without_gold_and_no_maps_are_refused():
    with pytest.raises(ValueError, match="has no gold"):
        alignment_score([planted()])
    with pytest.raises(ValueError, match="no maps"):
        alignment_score([])
