"""Put a pair together: a tree in, both sides and the truth out."""

from __future__ import annotations

from .english import write
from .french import kind_of, translate_tree
from .pair import PHENOMENA, Antecedent, Link, Pair, Sense
from .reference import Mentions
from .spelling import join_words
from .tree import Both, Clause, NounPhrase, Place, Pronoun, Sentence


def assemble(sentence: Sentence, source: list[str] | None = None) -> Pair:
    """Return the pair of a sentence on its own; ``source`` saves writing it again."""
    return assemble_after(sentence, Mentions(), source)[0]


def assemble_after(
    sentence: Sentence, mentions: Mentions, source: list[str] | None = None
) -> tuple[Pair, list[tuple[Pronoun, int]]]:
    """Return the pair of a sentence that follows others, and where its pronouns stand in French.

    ``mentions`` holds what the sentences before spoke of. Only antecedents within the sentence are
    noted in the pair.

    Raises:
        ValueError: *it*, *they* or *them* has no noun before it, so that its French gender is open.
    """
    if source is None:
        source = write(sentence)
    before = len(mentions.phrases)
    mentions.read(sentence)
    own = mentions.phrases[before:]
    for pronoun in mentions.unresolved:
        raise ValueError(
            f"word {pronoun.at + 1}, {pronoun.word!r}, stands for nothing: its French gender is "
            "that of a noun, so name one before it, as in: the car stops because it is old ."
        )
    words = join_words(translate_tree(sentence))
    sure: list[Link] = []
    possible: list[Link] = []
    spans: dict[str, list[int]] = {}
    pronouns: list[tuple[Pronoun, int]] = []
    for target, word in enumerate(words):
        for at in word.sure:
            sure.append(Link(target, at))
        for at in word.possible:
            if at >= 0:
                possible.append(Link(target, at))
        for name in word.phenomena:
            places = spans.setdefault(name, [])
            if not places or places[-1] != target:
                places.append(target)
        if word.pronoun is not None:
            pronouns.append((word.pronoun, target))
    noun_places, senses = _nouns_and_senses(sentence)
    antecedents = []
    for pronoun, target in pronouns:
        found = pronoun.antecedent
        if found is not None and found in own:
            nearest = max(at for at in noun_places if at < pronoun.at)
            antecedents.append(
                Antecedent(pronoun.at, found.noun_at, target, nearest == found.noun_at)
            )
    pair = Pair(
        tuple(source),
        tuple(word.form for word in words),
        frozenset(sure),
        frozenset(sure + possible),
        tuple(sorted(antecedents)),
        tuple(sorted(senses)),
        {name: tuple(spans[name]) for name in PHENOMENA if name in spans},
    )
    return pair, pronouns


def _nouns_and_senses(sentence: Sentence) -> tuple[list[int], list[Sense]]:
    nouns: list[int] = []
    senses: list[Sense] = []
    for clause in sentence.clauses:
        _collect(clause, nouns, senses, "")
    return nouns, senses


def _collect(clause: Clause, nouns: list[int], senses: list[Sense], gap: str) -> None:
    subject = clause.subject
    if gap != "subject":
        if isinstance(subject, NounPhrase):
            _collect_phrase(subject, nouns, senses)
        elif isinstance(subject, Both):
            _collect_phrase(subject.first, nouns, senses)
            _collect_phrase(subject.second, nouns, senses)
    verb = clause.verb
    if verb is not None:
        name = verb.sense_for(kind_of(subject)).name
        if name:
            thing = clause.object
            if verb.base == "play":
                name = "play.perform"
                if isinstance(thing, NounPhrase) and thing.noun.kind in ("game", "instrument"):
                    name = f"play.{thing.noun.kind}"
            senses.append(Sense(clause.verb_at, verb.base, name))
    elif clause.adjective is not None:
        name = clause.adjective.sense_for(kind_of(subject)).name
        if name:
            senses.append(Sense(clause.adjective_at, clause.adjective.english, name))
    if isinstance(clause.object, NounPhrase) and gap != "object":
        _collect_phrase(clause.object, nouns, senses)
    for phrase in (clause.person, clause.goal):
        if phrase is not None:
            _collect_phrase(phrase, nouns, senses)
    if clause.infinitive is not None:
        _collect(clause.infinitive, nouns, senses, "subject")
    if clause.content is not None:
        _collect(clause.content, nouns, senses, "")
    for place in clause.places:
        _collect_place(place, nouns, senses)


def _collect_place(place: Place, nouns: list[int], senses: list[Sense]) -> None:
    _collect_phrase(place.noun_phrase, nouns, senses)


def _collect_phrase(phrase: NounPhrase, nouns: list[int], senses: list[Sense]) -> None:
    nouns.append(phrase.noun_at)
    noun = phrase.noun
    if noun.sense:
        senses.append(Sense(phrase.noun_at, noun.english, noun.sense))
    for place, adjective in enumerate(phrase.adjectives):
        name = adjective.sense_for(noun.kind).name
        if name:
            senses.append(Sense(phrase.adjectives_at + place, adjective.english, name))
    if phrase.of is not None:
        _collect_phrase(phrase.of, nouns, senses)
    if phrase.place is not None:
        _collect_place(phrase.place, nouns, senses)
    if phrase.relative is not None:
        _collect(phrase.relative.clause, nouns, senses, phrase.relative.gap)
