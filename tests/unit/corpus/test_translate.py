"""The parser, minimal pairs and passages."""

import pytest

from seq2bert.corpus import (
    MINIMAL_PHENOMENA,
    PHENOMENA,
    minimal_pairs,
    passages,
    translate,
)
from seq2bert.corpus.forms import NOUN_FORMS


def french(text, context=()):
    return " ".join(translate(text.split(), [one.split() for one in context]).target)


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        (
            "the car stops because it is old .",
            "la voiture s' arrête parce qu' elle est vieille .",
        ),
        ("the boy does not sleep .", "le garçon ne dort pas ."),
        ("the man saw the red car .", "l' homme a vu la voiture rouge ."),
        ("the door of the school is open .", "la porte de l' école est ouverte ."),
        ("the letters of the king fall .", "les lettres du roi tombent ."),
        ("she likes apples .", "elle aime les pommes ."),
        ("she eats apples .", "elle mange des pommes ."),
        ("she does not eat an apple .", "elle ne mange pas de pomme ."),
        ("she does not like this apple .", "elle n' aime pas cette pomme ."),
        ("the cat drinks water .", "le chat boit de l' eau ."),
        ("the old hero sees the old bird .", "le vieux héros voit le vieil oiseau ."),
        ("the girl sees small houses .", "la fille voit de petites maisons ."),
        (
            "he plays chess and she plays the guitar .",
            "il joue aux échecs et elle joue de la guitare .",
        ),
        ("where is the cat ?", "où est le chat ?"),
        ("what does the bird eat ?", "qu' est-ce que l' oiseau mange ?"),
        ("the boys never open their bags .", "les garçons n' ouvrent jamais leurs sacs ."),
        ("if he sleeps , she sings .", "s' il dort , elle chante ."),
        ("he will sleep when she sings .", "il dormira quand elle chantera ."),
        ("he will sleep if she sings .", "il dormira si elle chante ."),
        ("I know that he knows her .", "je sais qu' il la connaît ."),
        ("the letter that she read falls .", "la lettre qu' elle a lue tombe ."),
        ("the girl and the boy arrived .", "la fille et le garçon sont arrivés ."),
        ("the girl and the queen arrived .", "la fille et la reine sont arrivées ."),
        ("he buys an unopened letter .", "il achète une lettre non ouverte ."),
    ],
)
def test_sentences_that_a_reader_may_type(english, expected):
    assert french(english) == expected


@pytest.mark.parametrize(
    ("english", "message"),
    [
        ("the boy sleep .", "word 3, 'sleep'.*expected sleeps"),
        ("the boys sleeps .", "word 3, 'sleeps'.*expected sleep"),
        ("the zebra sleeps .", "word 2, 'zebra' .not a word of the language.*noun such as cat"),
        ("the red car .", "word 4, '\\.'.*a verb such as sleeps"),
        ("the boy sees .", "word 4.*an object"),
        ("the boy", "breaks off after 'the boy'; expected a verb"),
        ("a apple falls .", "'a'.*'an'"),
        ("the boy sleeps ?", "word 4, '\\?'.*'\\.'"),
        ("the boy sleeps . the", "word 5, 'the'.*nothing after"),
        ("it is old .", "word 1, 'it'.*name one before it"),
        ("they sleep .", "word 1, 'they'.*name one before it"),
        ("the boy who sees .", "word 5.*an object"),
        ("does the boy sleeps ?", "word 4, 'sleeps'.*expected sleep"),
        ("I am tired .", "word 2, 'am'"),
        ("many boy sleeps .", "word 2, 'boy'.*plural after many"),
        ("the red old car stops .", "word 3, 'old'.*two adjectives"),
        ("he sleeps tomorrow .", "word 3, 'tomorrow'.*present"),
        ("the boy will sleep when the girl knows her .", "word 8, 'knows'.*future"),
        ("the boys are happy who", "word 5, 'who'"),
        ("", "source is empty"),
    ],
)
def test_a_sentence_outside_the_language_is_refused_at_its_first_odd_word(english, message):
    with pytest.raises(ValueError, match=message):
        translate(english.split())


def test_a_text_that_was_not_split_is_refused():
    with pytest.raises(ValueError, match="split it first"):
        translate("the boy sleeps .")


def test_a_pronoun_may_stand_for_a_noun_of_the_sentence_before():
    assert french("it is old .", ["the car stops ."]) == "elle est vieille ."
    assert french("it is old .", ["the train stops ."]) == "il est vieux ."


def test_a_bad_context_sentence_is_named():
    with pytest.raises(ValueError, match="sentence 2 of the context: word 2, 'zebra'"):
        french("it is old .", ["the car stops .", "the zebra sleeps ."])


@pytest.mark.parametrize("phenomenon", MINIMAL_PHENOMENA)
def test_minimal_pairs_differ_in_one_english_word_and_in_the_french(phenomenon):
    assert phenomenon in PHENOMENA
    found = minimal_pairs(phenomenon)
    assert len(found) >= 3
    for first, second in found:
        assert len(first.source) == len(second.source)
        differing = [
            one for one in zip(first.source, second.source, strict=True) if one[0] != one[1]
        ]
        assert len(differing) == 1
        assert first.target != second.target
        assert phenomenon in first.phenomena | second.phenomena


def test_minimal_pairs_of_pronouns_change_the_pronoun():
    for first, second in minimal_pairs("pronoun"):
        pronouns = [pair.target[pair.antecedents[0].target] for pair in (first, second)]
        assert pronouns[0] != pronouns[1]


def test_an_unknown_phenomenon_is_refused():
    with pytest.raises(ValueError, match=r"'tone'.*pronoun"):
        minimal_pairs("tone")


@pytest.fixture(scope="module")
def drawn():
    return passages("train", 1_500)


def test_passages_have_two_to_four_sentences_of_ordinary_length(drawn):
    assert {len(passage.pairs) for passage in drawn} == {2, 3, 4}
    assert all(len(pair.source) <= 20 for passage in drawn for pair in passage.pairs)


def test_each_sentence_of_a_passage_goes_on_about_something_mentioned(drawn):
    for passage in drawn:
        said = set()
        for number, pair in enumerate(passage.pairs):
            nouns = {word for word in pair.source if word in NOUN_FORMS}
            pronouns = any(
                one.sentence == number and one.antecedent_sentence < number
                for one in passage.references
            )
            assert number == 0 or pronouns or nouns & said
            said |= nouns


def test_passages_translate_in_their_context(drawn):
    for passage in drawn[:400]:
        for number, pair in enumerate(passage.pairs):
            before = [one.source for one in passage.pairs[:number]]
            assert translate(pair.source, before).target == pair.target


def test_references_point_at_pronouns_and_nouns(drawn):
    across = 0
    for passage in drawn:
        for one in passage.references:
            pronoun = passage.pairs[one.sentence].source[one.source]
            assert pronoun in ("he", "she", "it", "they", "him", "her", "them")
            noun = passage.pairs[one.antecedent_sentence].source[one.antecedent]
            assert noun in NOUN_FORMS
            assert one.antecedent_sentence <= one.sentence
            across += one.antecedent_sentence < one.sentence
    assert across > 1_000


def test_passages_of_two_splits_begin_differently(drawn):
    first = {passage.pairs[0].source for passage in drawn}
    for split in ("valid", "test"):
        assert not first & {passage.pairs[0].source for passage in passages(split, 200)}


def test_there_are_no_long_passages():
    with pytest.raises(ValueError, match=r"'long'.*train, valid, test"):
        passages("long", 1)
