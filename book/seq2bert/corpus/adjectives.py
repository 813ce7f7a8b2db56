"""The adjectives of the language, with the kinds of noun that each may describe."""

from __future__ import annotations

from .lexicon import Adjective, AdjectiveSense

_Forms = tuple[str, str, str, str]


def _regular(stem: str, feminine: str = "") -> _Forms:
    feminine = feminine or stem + "e"
    return stem, feminine, stem + "s", feminine + "s"


def _same(form: str) -> _Forms:
    """Return the forms of an adjective that is alike in both genders."""
    return form, form, form + "s", form + "s"


def _kinds(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _before(
    english: str, forms: _Forms, kinds: str, before_vowel: str = "", attributive: bool = False
) -> Adjective:
    """Return an adjective that French puts before its noun."""
    found = _kinds(kinds)
    sense = AdjectiveSense(found, forms, before_vowel)
    return Adjective(english, True, (sense,), frozenset() if attributive else found, found)


def _after(english: str, forms: _Forms, kinds: str, name: str = "") -> Adjective:
    found = _kinds(kinds)
    return Adjective(english, False, (AdjectiveSense(found, forms, name=name),), found, found)


def _two(
    english: str, first: tuple[str, _Forms, str], second: tuple[str, _Forms, str], predicate: str
) -> Adjective:
    senses = tuple(
        AdjectiveSense(_kinds(kinds), forms, name=name) for name, forms, kinds in (first, second)
    )
    return Adjective(english, False, senses, _kinds(predicate), senses[0].kinds | senses[1].kinds)


def _negated(english: str, participle: str, kinds: str) -> Adjective:
    found = _kinds(kinds)
    sense = AdjectiveSense(found, _regular(participle))
    return Adjective(english, False, (sense,), frozenset(), found, negated=True)


_PAINTED = "opening vehicle furniture container clothing"

ADJECTIVES: tuple[Adjective, ...] = (
    _two(
        "right",
        ("right.correct", _same("juste"), "idea"),
        ("right.side", _regular("droit"), "body"),
        "idea",
    ),
    _after(
        "light", _regular("léger", "légère"), "container clothing furniture", name="light.weight"
    ),
    _negated("unplayed", "joué", "music event drama"),
    _before(
        "small",
        _regular("petit"),
        "animal vehicle container building room garden opening furniture tree picture machine "
        "object",
    ),
    _before(
        "old",
        ("vieux", "vieille", "vieux", "vieilles"),
        "human animal vehicle text tale building furniture clothing machine picture instrument "
        "tree music",
        "vieil",
    ),
    _before(
        "big",
        _regular("grand"),
        "animal vehicle container building room garden opening furniture tree picture",
    ),
    _before(
        "beautiful",
        ("beau", "belle", "beaux", "belles"),
        "human animal vehicle building garden picture flower tree clothing music text tale light "
        "river instrument",
        "bel",
    ),
    _before(
        "new",
        ("nouveau", "nouvelle", "nouveaux", "nouvelles"),
        "vehicle text tale drama clothing machine building instrument furniture music",
        "nouvel",
        attributive=True,
    ),
    _before("young", _same("jeune"), "human youth animal"),
    _negated("unread", "lu", "text tale press"),
    _negated("unopened", "ouvert", "container text"),
    _negated("unpainted", "peint", "opening furniture"),
    _after("red", _same("rouge"), _PAINTED + " flower"),
    _after("black", _regular("noir"), _PAINTED + " animal"),
    _after("blue", _regular("bleu"), _PAINTED + " flower"),
    _after("green", _regular("vert"), _PAINTED),
    _after("tired", _regular("fatigué"), "human youth animal"),
    _after("happy", ("heureux", "heureuse", "heureux", "heureuses"), "human youth"),
    _after("sad", _same("triste"), "human youth"),
    _after("calm", _same("calme"), "human youth animal river garden"),
    _after("famous", _same("célèbre"), "human text tale music picture drama"),
    _after("empty", _same("vide"), "container building room street vehicle market"),
    _after("closed", _regular("fermé"), "opening container building market"),
    _after("open", _regular("ouvert"), "opening container building"),
    _after("cold", _regular("froid"), "food drink room body"),
    _after("quick", _same("rapide"), "vehicle animal"),
    _two(
        "hard",
        ("hard.difficult", _same("difficile"), "idea question text tale event"),
        ("hard.firm", _regular("dur"), "furniture food"),
        "idea question text tale event furniture food",
    ),
)
