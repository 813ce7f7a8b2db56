"""BLEU by hand is sacreBLEU's, on corpora, on sentences and at the edges."""

import random
from functools import reduce
from operator import add

import pytest

from seq2bert import corpus, metrics
from seq2bert.ngrams import chrf, count, ngrams


def spoilt(pairs, seed):
    """Translations with some words exchanged, left out and repeated."""
    rng = random.Random(seed)
    for pair in pairs:
        words = list(pair.target)
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(words))
            kind = rng.randrange(3)
            if kind == 0:
                words[at] = rng.choice(corpus.FRENCH_WORDS)
            elif kind == 1 and len(words) > 1:
                del words[at]
            else:
                words.insert(at, words[at])
        yield words, pair.target


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_bleu_of_sacrebleu_on_a_corpus(seed):
    both = list(spoilt(corpus.pairs("valid", 60), seed))
    counts = reduce(add, (count(written, wanted) for written, wanted in both))
    expected = metrics.bleu(
        hypotheses=[written for written, _ in both], references=[wanted for _, wanted in both]
    )
    assert 20 < expected < 100
    assert counts.score == pytest.approx(expected, abs=1e-6)


def test_a_worked_example():
    """the the the the the the the, against: the cat is on the mat (Papineni et al., 2002)."""
    found = count(["the"] * 7, ["the", "cat", "is", "on", "the", "mat"])
    assert (found.matches[0], found.totals[0]) == (2, 7)
    assert found.precisions[0] == pytest.approx(2 / 7)
    assert found.score == 0


def test_a_right_sentence_has_a_hundred_and_a_shorter_one_less():
    words = ["le", "roi", "dort", "dans", "le", "jardin"]
    assert count(words, words).score == pytest.approx(100)
    short = count(words[:5], words)
    assert short.precisions == (1, 1, 1, 1)
    assert short.score == pytest.approx(100 * 2.718281828 ** (1 - 6 / 5))


def test_nothing_written_has_nothing():
    found = count([], ["le"])
    assert (found.brevity_penalty, found.score) == (0, 0)


def test_ngrams_are_counted():
    assert ngrams(["a", "b", "a", "b"], 2) == {("a", "b"): 2, ("b", "a"): 1}
    assert ngrams(["a"], 2) == {}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ngrams(["a"], 0), "n is 0"),
        (lambda: ngrams("abc", 1), "split it first"),
        (lambda: count(["a"], []), "reference is empty"),
    ],
)
def test_what_has_no_ngrams_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize("seed", range(3))
def test_chrf_is_the_chrf_of_sacrebleu_on_every_sentence(seed):
    import sacrebleu

    for written, wanted in spoilt(corpus.pairs("valid", 40), seed):
        expected = sacrebleu.sentence_chrf(" ".join(written), [" ".join(wanted)]).score
        assert chrf(written, wanted) == pytest.approx(expected, abs=1e-6)


def test_chrf_of_two_letters_by_hand():
    """ab against ac: of the letters 1 of 2, of the pairs 0 of 1, so P = R = (1/2 + 0) / 2."""
    assert chrf(["ab"], ["ac"]) == pytest.approx(25)


def test_chrf_knows_the_edges():
    assert chrf(["le", "roi"], ["le", "roi"]) == pytest.approx(100)
    assert chrf([], ["le"]) == 0
    assert chrf(["x"], ["le"]) == 0


def test_chrf_counts_recall_twice():
    """a against aaaa, single letters: P = 1, R = 1/4; longer runs are in one of them only."""
    assert chrf(["a"], ["aaaa"]) == pytest.approx(100 * 5 * 0.25 / (4 + 0.25))


@pytest.mark.parametrize(
    ("hypothesis", "reference", "message"),
    [("le roi", ["le"], "hypothesis is the string"), (["le"], [], "reference is empty")],
)
def test_chrf_refuses_strings_and_empty_references(unchecked, hypothesis, reference, message):
    with pytest.raises(ValueError, match=message):
        unchecked("ngrams").chrf(hypothesis, reference)
