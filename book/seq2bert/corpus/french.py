"""The French side: translate a tree whose words have their positions and pronouns their nouns."""

from __future__ import annotations

from .french_phrases import BareArticle, adjective_form, head_words
from .lexicon import Conjugation
from .spelling import Word
from .tree import (
    Both,
    Clause,
    NounPhrase,
    Place,
    Pronoun,
    Relative,
    Sentence,
    Subject,
    Tense,
    Who,
    is_plural,
)

_CONJUNCTIONS = {
    "and": ("et",),
    "but": ("mais",),
    "because": ("parce", "que"),
    "when": ("quand",),
    "while": ("pendant", "que"),
    "if": ("si",),
    ",": (",",),
}
_PREPOSITIONS = {
    "in": ("dans",),
    "on": ("sur",),
    "under": ("sous",),
    "behind": ("derrière",),
    "in front of": ("devant",),
    "near": ("près", "de"),
    "at": ("à",),
    "with": ("avec",),
    "for": ("pour",),
}
_QUESTION_WORDS = {"where": "où", "when": "quand", "why": "pourquoi", "what": "que"}
ADVERBS = {
    "very": "très",
    "too": "trop",
    "often": "souvent",
    "always": "toujours",
    "slowly": "lentement",
    "quickly": "rapidement",
    "sadly": "tristement",
    "calmly": "calmement",
    "today": "aujourd'hui",
    "now": "maintenant",
    "yesterday": "hier",
    "tomorrow": "demain",
}
_SUBJECTS = {"I": "je", "he": "il", "she": "elle"}
_AVOIR = ("ai", "a", "ont")
_ETRE = ("suis", "est", "sont")


def translate_tree(sentence: Sentence) -> list[Word]:
    """Return the French words of ``sentence``, before elision and contraction."""
    words: list[Word] = []
    tenses = french_tenses(sentence)
    if sentence.fronted:
        _conjunction(sentence.fronted, sentence.fronted_at, words)
    _clause(sentence.clauses[0], words, tenses[0], sentence.end_at)
    for place, join in enumerate(sentence.joins):
        _conjunction(join, sentence.joins_at[place], words)
        _clause(sentence.clauses[place + 1], words, tenses[place + 1], sentence.end_at)
    words.append(Word(sentence.mark, (sentence.end_at,)))
    return words


def french_tenses(sentence: Sentence) -> list[Tense]:
    """Return the French tense of each clause.

    After *quand* and *pendant que* French puts the future where English has the present, if the
    clause that they depend on is in the future.
    """
    tenses: list[Tense] = [clause.tense for clause in sentence.clauses]
    if sentence.fronted in ("when", "while") and tenses[1] == "future":
        tenses[0] = "future"
    for place, join in enumerate(sentence.joins):
        if join in ("when", "while") and tenses[place] == "future":
            tenses[place + 1] = "future"
    return tenses


def _conjunction(word: str, at: int, words: list[Word]) -> None:
    forms = _CONJUNCTIONS[word]
    tags = ("conjunction",) if len(forms) > 1 else ()
    for form in forms:
        words.append(Word(form, (at,), (), tags))


def _noun_phrase(phrase: NounPhrase, words: list[Word], bare: BareArticle = "some") -> None:
    words += head_words(phrase, bare)
    if phrase.of is not None:
        words.append(Word("de", (phrase.of_at,)))
        _noun_phrase(phrase.of, words)
    if phrase.place is not None:
        _place(phrase.place, words)
    if phrase.relative is not None:
        _relative(phrase.relative, words)


def _relative(relative: Relative, words: list[Word]) -> None:
    form = "qui" if relative.gap == "subject" else "que"
    words.append(Word(form, (relative.at,), (), ("relative",)))
    _clause(relative.clause, words, relative.clause.tense, -1, relative.gap)


def _place(place: Place, words: list[Word]) -> None:
    at = place.at
    if place.preposition == "in front of":
        words.append(Word("devant", (at + 1,), (at, at + 2)))
    else:
        for form in _PREPOSITIONS[place.preposition]:
            words.append(Word(form, (at,)))
    _noun_phrase(place.noun_phrase, words)


def _to(at: int, phrase: NounPhrase, words: list[Word]) -> None:
    words.append(Word("à", (at,)))
    _noun_phrase(phrase, words)


def agreement_of(subject: Subject) -> tuple[str, bool]:
    """Return gender and number that a French adjective or participle takes from ``subject``."""
    if isinstance(subject, NounPhrase):
        return subject.gender, subject.plural
    if isinstance(subject, Both):
        return subject.gender, True
    if isinstance(subject, Who):
        return "m", False
    if subject.antecedent is not None and subject.word in ("it", "they", "them"):
        return subject.antecedent.gender, subject.word != "it"
    return "f" if subject.word in ("she", "her") else "m", False


def _subject(subject: Subject, words: list[Word]) -> None:
    if isinstance(subject, NounPhrase):
        _noun_phrase(subject, words)
    elif isinstance(subject, Both):
        words += head_words(subject.first)
        words.append(Word("et", (subject.and_at,), (), ("coordination",)))
        words += head_words(subject.second)
    elif isinstance(subject, Who):
        words.append(Word("qui", (subject.at,), (), ("question",)))
    else:
        form = _SUBJECTS.get(subject.word)
        if form is None:
            gender, plural = agreement_of(subject)
            form = ("elle" if gender == "f" else "il") + ("s" if plural else "")
        tags = ("pronoun",) if subject.antecedent is not None else ()
        words.append(Word(form, (subject.at,), (), tags, subject))


def _clitic(thing: Pronoun, words: list[Word]) -> None:
    gender, plural = agreement_of(thing)
    form = "les" if plural else "la" if gender == "f" else "le"
    words.append(Word(form, (thing.at,), (), ("object_pronoun",), thing))


def _clause(clause: Clause, words: list[Word], tense: Tense, mark_at: int, gap: str = "") -> None:
    if clause.question and clause.question != "who":
        if clause.question == "where" and clause.verb is None:
            words.append(Word("où", (clause.question_at,), (), ("question",)))
            form = ("était", "étaient") if tense == "past" else ("est", "sont")
            words.append(Word(form[is_plural(clause.subject)], (clause.auxiliary_at,)))
            _subject(clause.subject, words)
            return
        _question(clause, words, mark_at)
    if gap != "subject":
        _subject(clause.subject, words)
    shifted = ("future_clause",) if tense != clause.tense else ()
    helper = () if clause.auxiliary_at < 0 else (clause.auxiliary_at,)
    if clause.negation:
        words.append(
            Word("ne", (clause.negation_at,), helper if clause.verb else (), ("negation",))
        )
    if clause.verb is None:
        _be(clause, words, tense, shifted)
    else:
        _full_verb(clause, words, tense, shifted, gap == "object")
    for place in clause.places:
        _place(place, words)
    if clause.time:
        words.append(Word(ADVERBS[clause.time], (clause.time_at,)))


def _question(clause: Clause, words: list[Word], mark_at: int) -> None:
    if clause.question != "yes-no":
        form = _QUESTION_WORDS[clause.question]
        words.append(Word(form, (clause.question_at,), (), ("question",)))
    about = (clause.auxiliary_at, mark_at)
    words.append(Word("est-ce", (), about, ("question",)))
    words.append(Word("que", (), about, ("question",)))


def _after_finite(clause: Clause, words: list[Word]) -> None:
    """Add what stands between the finite verb and a participle: *pas*, *jamais*, *souvent*."""
    if clause.negation:
        helper = () if clause.auxiliary_at < 0 or clause.verb is None else (clause.auxiliary_at,)
        form = "jamais" if clause.negation == "never" else "pas"
        words.append(Word(form, (clause.negation_at,), helper, ("negation",)))
    if clause.frequency:
        tags = () if clause.verb is None else ("adverb_order",)
        words.append(Word(ADVERBS[clause.frequency], (clause.frequency_at,), (), tags))


def _be(clause: Clause, words: list[Word], tense: Tense, shifted: tuple[str, ...]) -> None:
    plural = is_plural(clause.subject)
    sure, possible = (clause.auxiliary_at,), ()
    if tense == "future":
        form = "seront" if plural else "sera"
        if clause.verb_at >= 0:
            words.append(
                Word(form, (clause.verb_at,), (clause.auxiliary_at,), ("future", *shifted))
            )
        else:
            words.append(Word(form, sure, possible, ("future", *shifted)))
    elif tense == "past":
        words.append(Word("étaient" if plural else "était", sure, possible, ("past",)))
    else:
        words.append(Word("sont" if plural else "est", sure, possible))
    _after_finite(clause, words)
    if clause.adjective is None:
        return
    if clause.degree:
        words.append(Word(ADVERBS[clause.degree], (clause.degree_at,)))
    gender, plural = agreement_of(clause.subject)
    sense = clause.adjective.sense_for(kind_of(clause.subject))
    form, _ = adjective_form(sense, gender, plural)
    tags = ("agreement", "sense") if sense.name else ("agreement",)
    words.append(Word(form, (clause.adjective_at,), (), tags))


def kind_of(subject: Subject) -> str:
    """Return the kind of noun that a subject is or stands for."""
    if isinstance(subject, NounPhrase):
        return subject.noun.kind
    if isinstance(subject, Both):
        return subject.first.noun.kind
    if isinstance(subject, Who) or subject.antecedent is None:
        return "human"
    return kind_of(subject.antecedent)


def _full_verb(
    clause: Clause, words: list[Word], tense: Tense, shifted: tuple[str, ...], gap: bool
) -> None:
    assert clause.verb is not None
    sense = clause.verb.sense_for(kind_of(clause.subject))
    french = sense.french
    tags = ("sense",) if sense.name else ()
    helper = () if clause.auxiliary_at < 0 else (clause.auxiliary_at,)
    at = (clause.verb_at,)
    thing = clause.object
    if isinstance(thing, Pronoun) and not gap:
        _clitic(thing, words)
    if french.reflexive:
        words.append(Word("se", at, helper, ("reflexive",)))
    if tense == "past":
        _past(clause, french, words, gap, tags)
    else:
        form = _finite_form(clause.subject, french, tense)
        more = ("future", *shifted) if tense == "future" else ()
        words.append(Word(form, at, helper, (*tags, *more)))
        _after_finite(clause, words)
    _complements(clause, words, gap, bool(clause.negation))


def _finite_form(subject: Subject, french: Conjugation, tense: Tense) -> str:
    if tense == "future":
        return french.ils_future if is_plural(subject) else french.il_future
    if isinstance(subject, Pronoun) and subject.word == "I":
        return french.je
    return french.ils if is_plural(subject) else french.il


def _past(
    clause: Clause, french: Conjugation, words: list[Word], gap: bool, tags: tuple[str, ...]
) -> None:
    """Add auxiliary and participle.

    No word is surely the source of the auxiliary: its form follows the subject, and it comes with
    every past verb, so that counting cannot tell where it is from.
    """
    subject, thing = clause.subject, clause.object
    at = (clause.verb_at,)
    helper = () if clause.auxiliary_at < 0 else (clause.auxiliary_at,)
    person = 2 if is_plural(subject) else 1
    if isinstance(subject, Pronoun) and subject.word == "I":
        person = 0
    auxiliary = (_ETRE if french.etre else _AVOIR)[person]
    words.append(Word(auxiliary, (), (*helper, *at), ("past",)))
    _after_finite(clause, words)
    form = french.participle
    before = thing if gap or isinstance(thing, Pronoun) else None
    if french.etre or before is not None:
        gender, plural = agreement_of(before if before is not None else subject)
        form += ("e" if gender == "f" else "") + ("s" if plural else "")
        tags = (*tags, "agreement" if french.etre else "participle")
    words.append(Word(form, at, helper, (*tags, "past")))


def _complements(clause: Clause, words: list[Word], gap: bool, negated: bool) -> None:
    verb = clause.verb
    assert verb is not None
    if clause.manner:
        thing = clause.object
        moved = thing is not None and not gap
        tags = ("adverb_order",) if moved else ()
        words.append(Word(ADVERBS[clause.manner], (clause.manner_at,), (), tags))
    if isinstance(clause.object, NounPhrase) and not gap:
        _object(clause, clause.object, words, negated)
    if clause.person is not None:
        _to(clause.to_at, clause.person, words)
    if clause.goal is not None:
        _to(clause.to_at, clause.goal, words)
    if clause.infinitive is not None:
        inner = clause.infinitive
        assert inner.verb is not None
        if isinstance(inner.object, Pronoun):
            _clitic(inner.object, words)
        sense = inner.verb.sense_for(kind_of(inner.subject))
        tags = ("sense",) if sense.name else ()
        words.append(Word(sense.french.infinitive, (inner.verb_at,), (clause.to_at,), tags))
        _complements(inner, words, gap, negated)
        for place in inner.places:
            _place(place, words)
    if clause.content is not None:
        words.append(Word("que", (clause.that_at,)))
        _clause(clause.content, words, clause.content.tense, -1)


def _object(clause: Clause, thing: NounPhrase, words: list[Word], negated: bool) -> None:
    """Add a direct object, or what one plays: *jouer à* a game, *jouer de* an instrument."""
    verb = clause.verb
    assert verb is not None
    bare: BareArticle = "all" if verb.generic else "none" if negated else "some"
    if verb.base == "play" and thing.noun.kind in ("game", "instrument"):
        game = thing.noun.kind == "game"
        about = (clause.verb_at, thing.noun_at) if game else (clause.verb_at,)
        words.append(Word("à" if game else "de", (), about, ("sense",)))
        bare = "all" if game else "some"
    _noun_phrase(thing, words, bare)
