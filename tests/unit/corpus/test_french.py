"""French grammar, checked on the words alone: nothing here knows how a sentence was made."""

import re

import pytest

from seq2bert.corpus.adjectives import ADJECTIVES
from seq2bert.corpus.forms import NOUN_FORMS
from seq2bert.corpus.nouns import NOUNS
from seq2bert.corpus.verbs import VERBS

ASPIRATED = {"héros", "hibou", "hiboux"}
ELIDING = {"le", "la", "de", "que", "ne", "je", "se"}
ELIDED = {"l'", "d'", "qu'", "n'", "j'"}

GENDERS = {}
NUMBERS = {}
for noun in NOUNS:
    for form, plural in ((noun.french, False), (noun.french_plural, True)):
        if form:
            GENDERS.setdefault(form, set()).add(noun.gender)
            NUMBERS.setdefault(form, set()).add(plural)

DETERMINERS = {
    "le": ("m", False), "la": ("f", False), "un": ("m", False), "une": ("f", False),
    "ce": ("m", False), "cet": ("m", False), "cette": ("f", False), "ma": ("f", False),
    "sa": ("f", False), "mon": (None, False), "son": (None, False), "leur": (None, False),
    "chaque": (None, False), "les": (None, True), "des": (None, True), "ces": (None, True),
    "mes": (None, True), "ses": (None, True), "leurs": (None, True), "deux": (None, True),
    "trois": (None, True), "du": ("m", False), "au": ("m", False), "aux": (None, True),
}  # fmt: skip

AGREEMENT = {}
BEFORE = set()
for adjective in ADJECTIVES:
    for sense in adjective.senses:
        for place, form in enumerate(sense.forms):
            AGREEMENT.setdefault(form, set()).add(("mf"[place % 2], place >= 2))
            if adjective.precedes:
                BEFORE.add(form)
        if sense.before_vowel:
            AGREEMENT.setdefault(sense.before_vowel, set()).add(("m", False))
            BEFORE.add(sense.before_vowel)


def vowel(word):
    return word not in ASPIRATED and re.match("[aàâeéèêiîoôœuûyh]", word) is not None


def nouns(pair):
    """Return, for each noun, its place, the adjectives before it and the determiner."""
    for place, word in enumerate(pair.target):
        if word not in GENDERS or any(
            link.target == place and pair.source[link.source] not in NOUN_FORMS
            for link in pair.sure
        ):
            continue
        first = place
        while first > 0 and pair.target[first - 1] in BEFORE:
            first -= 1
        yield place, pair.target[first:place], pair.target[first - 1] if first else ""


def test_words_elide_before_a_vowel_and_only_there(sample):
    for pair in sample:
        for word, following in zip(pair.target, pair.target[1:], strict=False):
            if word in ELIDING:
                assert not vowel(following), pair.target
            if word in ELIDED:
                assert vowel(following), pair.target
            if word == "si":
                assert following not in ("il", "ils"), pair.target
            if word == "s'":
                assert vowel(following), pair.target


def test_articles_contract(sample):
    for pair in sample:
        text = " ".join(pair.target)
        assert not re.search(r"\b(de|à) (le|les)\b", text), text


def test_adjectives_and_determiners_take_the_form_before_a_vowel(sample):
    for pair in sample:
        for word, following in zip(pair.target, pair.target[1:], strict=False):
            if word in ("beau", "nouveau") and following in GENDERS:
                assert not vowel(following), pair.target
            if word in ("bel", "nouvel", "vieil", "cet"):
                assert vowel(following), pair.target
            if word in ("ce", "ma", "sa"):
                assert not vowel(following), pair.target


def test_determiners_agree_with_their_noun(sample):
    checked = 0
    for pair in sample:
        for place, _, word in nouns(pair):
            if word not in DETERMINERS:
                continue
            gender, plural = DETERMINERS[word]
            noun = pair.target[place]
            assert gender is None or gender in GENDERS[noun], pair.target
            assert plural in NUMBERS[noun], pair.target
            checked += 1
    assert checked > 15_000


def test_adjectives_beside_a_noun_agree_with_it(sample):
    checked = 0
    for pair in sample:
        for place, before, _ in nouns(pair):
            noun = pair.target[place]
            after = pair.target[place + 1 : place + 2]
            if after == ("non",):
                after = pair.target[place + 2 : place + 3]
            elif after in (("peint",), ("écrit",), ("joué",)):
                # the verb of which the noun is the subject
                after = ()
            for form in (*before, *(one for one in after if one in AGREEMENT)):
                agreeing = {(g, n) for g in GENDERS[noun] for n in NUMBERS[noun]}
                assert AGREEMENT[form] & agreeing, pair.target
                checked += 1
    assert checked > 3_000


def test_a_possessive_before_a_feminine_vowel_is_masculine(sample):
    for pair in sample:
        for place, before, word in nouns(pair):
            if word not in ("mon", "son") or GENDERS[pair.target[place]] != {"f"}:
                continue
            assert vowel(pair.target[place - len(before)]), pair.target


def test_a_noun_is_plural_in_french_where_it_is_in_english(sample):
    for pair in sample:
        for link in pair.sure:
            english, french = pair.source[link.source], pair.target[link.target]
            if english not in NOUN_FORMS or french not in NUMBERS:
                continue
            if french in ("échecs", "cartes") and english in ("chess", "cards"):
                continue
            numbers = {plural for _, plural in NOUN_FORMS[english]}
            assert numbers & NUMBERS[french], (english, french)


def test_a_pronoun_subject_agrees_with_its_verb(sample):
    singular, plural = {"est", "a", "était", "sera"}, {"sont", "ont", "étaient", "seront"}
    for verb in VERBS:
        for sense in verb.senses:
            singular |= {sense.french.il, sense.french.il_future}
            plural |= {sense.french.ils, sense.french.ils_future}
    for pair in sample:
        for place, word in enumerate(pair.target):
            if word not in ("il", "elle", "ils", "elles"):
                continue
            verb = place + 1
            while pair.target[verb] in ("ne", "n'", "le", "la", "l'", "les", "se", "s'"):
                verb += 1
            assert pair.target[verb] in (plural if word.endswith("s") else singular), pair.target


def test_a_negation_has_both_halves(sample):
    for pair in sample:
        first = sum(word in ("ne", "n'") for word in pair.target)
        second = sum(word in ("pas", "jamais") for word in pair.target)
        assert first == second


@pytest.mark.parametrize(("before", "after"), [("un", "pas"), ("des", "pas"), ("du", "pas")])
def test_an_indefinite_object_after_pas_is_de(sample, before, after):
    for pair in sample:
        text = " ".join(pair.target)
        # "il ne joue pas du piano" is de + le, not a partitive
        for found in re.finditer(rf"{after} {before} (\w+)", text):
            assert "jou" in text[: found.start()], text


def test_participles_with_etre_agree_with_a_pronoun_subject(sample):
    checked = 0
    for pair in sample:
        text = " ".join(pair.target)
        for found in re.finditer(
            r"\b(il|elle|ils|elles) (?:n' |ne )?(?:s' |se )?(?:est|sont) (?:pas |jamais |souvent "
            r"|toujours )?((?:all|arriv|tomb|arrêt)é\w*)",
            text,
        ):
            ending = {"il": "é", "elle": "ée", "ils": "és", "elles": "ées"}[found[1]]
            assert re.fullmatch(r"(all|arriv|tomb|arrêt)" + ending, found[2]), text
            checked += 1
    assert checked > 30


def test_participles_agree_with_an_object_before_them(sample):
    checked = 0
    for pair in sample:
        for place in pair.spans.get("participle", ()):
            form = pair.target[place]
            assert AGREEMENT[form], form
            start = place
            while start > 0 and pair.target[start] not in ("que", "qu'"):
                start -= 1
            noun = next((w for w in reversed(pair.target[:start]) if w in GENDERS), None)
            if pair.target[start] in ("que", "qu'") and start and pair.target[start - 1] in GENDERS:
                assert {(g, n) for g in GENDERS[noun] for n in NUMBERS[noun]} & AGREEMENT[form]
                checked += 1
    assert checked > 20
