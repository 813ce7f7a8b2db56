"""The search for the head that reads the antecedent, on a model whose every weight is known."""

import pytest
import torch
from torch import nn

from seq2bert import corpus
from seq2bert.coreference import OTHER_GENDER, Case, asks_and_answers, cases, read, without
from seq2bert.transformer import Sizes, Transformer
from seq2bert.vocabulary import Vocabulary

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
PAIR, FAR = (
    corpus.translate(sentence.split())
    for sentence in (
        "the car stops because it is old .",
        "the small key does not fall and the hero does not find it .",
    )
)
CASE = Case(row=1, source=4, antecedent=1, target=5, noun=1, nearest=True)


def test_the_cases_of_a_sentence_by_hand():
    """*la voiture s' arrête car elle est vieille .*"""
    pair = corpus.pairs("test", 1)[0]
    assert PAIR.target[:2] == ("la", "voiture")
    (found,) = [case for case in cases([pair, PAIR]) if case.row == 1]
    assert (found.source, found.antecedent, found.noun) == (4, 1, 1)
    assert PAIR.target[found.target] == "elle"
    assert found.nearest


def test_a_pronoun_without_il_or_elle_is_no_case():
    assert cases([FAR]) == []


def test_cases_of_many_pairs_point_at_pronouns_and_their_nouns():
    pairs = corpus.pairs("test", 600)
    found = cases(pairs)
    assert len(found) > 40
    assert 0.2 < sum(case.nearest for case in found) / len(found) < 0.8
    for case in found:
        pair = pairs[case.row]
        assert pair.source[case.source] in ("it", "they")
        assert pair.target[case.target] in OTHER_GENDER
        assert (case.noun, case.antecedent) in pair.sure


@pytest.mark.parametrize(
    ("kind", "cell"), [("encoder", (4, 1)), ("cross", (5, 1)), ("decoder", (5, 2))]
)
def test_where_the_antecedent_would_be_read(kind, cell):
    assert asks_and_answers(CASE, kind) == cell


class Planted(nn.Module):
    """Its one head looks at a place that is given; *elle* is as likely as it is told."""

    def __init__(self, places, elle):
        super().__init__()
        self.places, self.elle = places, elle

    def forward(self, source, source_mask, target_in, interventions):
        batch, length = target_in.shape
        logits = torch.zeros(batch, length, len(FRENCH))
        logits[..., FRENCH.encode(["elle"])[0]] = self.elle
        lengths = {"encoder": (source.shape[1],) * 2, "decoder": (length,) * 2}
        attention = {}
        for kind, place in self.places.items():
            queries, keys = lengths.get(kind, (length, source.shape[1]))
            attention[kind] = torch.zeros(batch, 1, 1, queries, keys)
            attention[kind][..., place] = 1
        return logits.log_softmax(-1), attention


def reading(places, elle=0.0, pairs=(PAIR,)):
    return read(Planted(places, elle), pairs, cases(pairs), ENGLISH, FRENCH)


def test_a_head_that_looks_at_the_antecedent_is_found_and_no_other():
    found = reading({"encoder": 1, "cross": 0, "decoder": 2})
    assert found.looks["encoder"].tolist() == [[[True]]]
    assert found.looks["cross"].tolist() == [[[False]]]
    assert found.looks["decoder"].tolist() == [[[True]]]
    assert found.weight["cross"].tolist() == [[[0.0]]]
    assert found.weight["decoder"].tolist() == [[[1.0]]]


@pytest.mark.parametrize(("elle", "right"), [(2.0, True), (-2.0, False)])
def test_the_margin_is_between_the_two_genders(elle, right):
    found = reading({"cross": 0}, elle)
    assert found.margin.tolist() == pytest.approx([elle])
    assert found.right.tolist() == [right]


def test_cases_keep_their_order_whatever_the_batches():
    pairs = corpus.pairs("test", 300)
    torch.manual_seed(0)
    model = Transformer(len(ENGLISH), len(FRENCH), Sizes(16, 2, 16, 1)).eval()
    found = cases(pairs)
    together = read(model, pairs, found, ENGLISH, FRENCH)
    for number in (0, len(found) // 2, len(found) - 1):
        alone = read(model, pairs, [found[number]], ENGLISH, FRENCH)
        assert torch.allclose(alone.margin[0], together.margin[number], atol=1e-5)
        for kind in ("encoder", "decoder", "cross"):
            ours = together.weight[kind][..., number]
            assert torch.allclose(alone.weight[kind][..., 0], ours, atol=1e-5)


def test_without_switches_off_what_is_named_and_nothing_else():
    factors = without((2, 3), "cross", [(1, 2), (0, 0)]).head_mask
    assert set(factors) == {"cross"}
    assert factors["cross"].tolist() == [[0, 1, 1], [1, 1, 0]]


def test_no_cases_are_refused():
    with pytest.raises(ValueError, match="no cases"):
        read(Planted({}, 0.0), [FAR], [], ENGLISH, FRENCH)
