"""The verbs of the language, with their frames and the kinds that they combine with."""

from __future__ import annotations

from .lexicon import Conjugation, Frame, Verb, VerbSense

_PEOPLE = "human youth"
_ANIMATE = "human youth animal"
_NEAR = ("near", "behind", "in front of")
_INSIDE = ("in", "at", "with", *_NEAR)
_GOODS = (
    "vehicle clothing text tale press container furniture food drink machine picture flower "
    "instrument animal"
)


def _kinds(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _er(stem: str, present: str = "", etre: bool = False, reflexive: bool = False) -> Conjugation:
    """Conjugate a regular verb in *-er*; ``present`` is the stem where it differs (*achèt-*)."""
    strong = present or stem
    return Conjugation(
        strong + "e",
        strong + "e",
        strong + "ent",
        strong + "era",
        strong + "eront",
        stem + "é",
        stem + "er",
        etre,
        reflexive,
    )


def _irregular(je: str, il: str, ils: str, future: str, participle: str, inf: str) -> Conjugation:
    return Conjugation(je, il, ils, future + "a", future + "ont", participle, inf)


def _present(je: str, il: str, ils: str) -> Conjugation:
    """Conjugate a verb that the language has in the present only."""
    return Conjugation(je, il, ils, "", "", "", "")


def _verb(
    english: str,
    french: Conjugation,
    subjects: str,
    objects: str = "",
    frame: Frame | None = None,
    name: str = "",
    telic: bool = False,
    agreeing: bool = False,
    generic: bool = False,
    present_only: bool = False,
    infinitive: bool = False,
    places: tuple[str, ...] = (),
) -> Verb:
    base, third, past = english.split()
    return Verb(
        base,
        third,
        past,
        frame or ("object" if objects else "none"),
        _kinds(subjects),
        _kinds(objects),
        (VerbSense(_kinds(subjects), french, name),),
        telic,
        agreeing,
        generic,
        present_only,
        infinitive,
        places,
    )


_JOUER = _er("jou")

VERBS: tuple[Verb, ...] = (
    _verb(
        "see sees saw",
        _irregular("vois", "voit", "voient", "verr", "vu", "voir"),
        _ANIMATE,
        "human youth animal vehicle building picture tree flower light clothing river drama event "
        "room garden body market street container",
        telic=True,
        infinitive=True,
        places=("in", *_NEAR),
    ),
    _verb(
        "sleep sleeps slept",
        _irregular("dors", "dort", "dorment", "dormir", "dormi", "dormir"),
        _ANIMATE,
        infinitive=True,
        places=("in", "on", "under", *_NEAR),
    ),
    _verb(
        "read reads read",
        _irregular("lis", "lit", "lisent", "lir", "lu", "lire"),
        _PEOPLE,
        "text tale press drama",
        agreeing=True,
        infinitive=True,
        places=("in", "at", "with", "under"),
    ),
    _verb(
        "buy buys bought",
        _er("achet", "achèt"),
        _PEOPLE,
        _GOODS + " stick",
        telic=True,
        infinitive=True,
        places=("at", "for"),
    ),
    _verb(
        "open opens opened",
        _irregular("ouvre", "ouvre", "ouvrent", "ouvrir", "ouvert", "ouvrir"),
        _PEOPLE,
        "opening container text",
        telic=True,
        agreeing=True,
        infinitive=True,
        places=("in", "at", "with"),
    ),
    _verb(
        "eat eats ate",
        _er("mang"),
        _ANIMATE,
        "food",
        infinitive=True,
        places=("in", "at", "with", "under"),
    ),
    _verb(
        "play plays played",
        _JOUER,
        _PEOPLE,
        "game instrument event music",
        frame="optional",
        name="play.game",
        agreeing=True,
        infinitive=True,
        places=_INSIDE,
    ),
    _verb(
        "watch watches watched",
        _er("regard"),
        _ANIMATE,
        "event drama animal light vehicle youth human",
        name="watch.look",
        infinitive=True,
        places=("in", "at", "with"),
    ),
    _verb(
        "like likes liked", _er("aim"), _PEOPLE, _GOODS + " music drama game human", generic=True
    ),
    _verb(
        "find finds found",
        _er("trouv"),
        _PEOPLE,
        "animal youth object clothing text tale machine food idea question stick flower container",
        telic=True,
        infinitive=True,
        places=("in", "under", "at", *_NEAR),
    ),
    _verb(
        "go goes went",
        Conjugation("vais", "va", "vont", "ira", "iront", "allé", "aller", etre=True),
        _PEOPLE,
        frame="goal",
        infinitive=True,
        places=("with",),
    ),
    _verb(
        "fall falls fell",
        _er("tomb", etre=True),
        "youth tree picture clothing food container object",
        telic=True,
        places=("in", *_NEAR),
    ),
    Verb(
        "work",
        "works",
        "worked",
        "none",
        _kinds("human youth machine vehicle"),
        frozenset(),
        (
            VerbSense(_kinds(_PEOPLE), _er("travaill"), "work.labour"),
            VerbSense(_kinds("machine vehicle"), _er("fonctionn"), "work.function"),
        ),
        places=("in", "at", "with", *_NEAR),
    ),
    _verb(
        "close closes closed",
        _er("ferm"),
        _PEOPLE,
        "opening container text",
        telic=True,
        agreeing=True,
        places=("in", "at"),
    ),
    _verb(
        "write writes wrote",
        _irregular("écris", "écrit", "écrivent", "écrir", "écrit", "écrire"),
        _PEOPLE,
        "text tale music drama question",
        infinitive=True,
        places=("in", "at", "for", "with"),
    ),
    _verb(
        "sing sings sang",
        _er("chant"),
        _PEOPLE,
        "music",
        frame="optional",
        infinitive=True,
        places=("in", "at", "with", "for"),
    ),
    _verb(
        "give gives gave",
        _er("donn"),
        _PEOPLE,
        "text tale press food flower object clothing machine container picture stick",
        frame="gift",
        telic=True,
    ),
    _verb(
        "stop stops stopped",
        _er("arrêt", etre=True, reflexive=True),
        "vehicle human youth",
        telic=True,
        places=("at", *_NEAR),
    ),
    _verb(
        "arrive arrives arrived",
        _er("arriv", etre=True),
        "vehicle human youth animal",
        telic=True,
        places=("at", "with", *_NEAR),
    ),
    _verb(
        "paint paints painted",
        _irregular("peins", "peint", "peignent", "peindr", "peint", "peindre"),
        _PEOPLE,
        "opening furniture picture building flower tree animal body",
        agreeing=True,
        places=("in", "for", "with"),
    ),
    _verb(
        "sell sells sold",
        _irregular("vends", "vend", "vendent", "vendr", "vendu", "vendre"),
        _PEOPLE,
        _GOODS + " stick",
        telic=True,
        places=("at", "with", *_NEAR),
    ),
    _verb(
        "drink drinks drank",
        _irregular("bois", "boit", "boivent", "boir", "bu", "boire"),
        _ANIMATE,
        "drink",
        places=("in", "at", "with"),
    ),
    _verb(
        "reopen reopens reopened",
        _irregular("rouvre", "rouvre", "rouvrent", "rouvrir", "rouvert", "rouvrir"),
        _PEOPLE,
        "opening container",
        telic=True,
        places=("in", "at"),
    ),
    _verb(
        "reread rereads reread",
        _irregular("relis", "relit", "relisent", "relir", "relu", "relire"),
        _PEOPLE,
        "text tale press drama",
        places=("in", "at", "with"),
    ),
    _verb(
        "replay replays replayed",
        _er("rejou"),
        _PEOPLE,
        "event music",
        places=("in", "at", "for", "with"),
    ),
    _verb(
        "shine shines shone",
        _er("brill"),
        "light",
        places=("in", *_NEAR),
    ),
    _verb(
        "want wants wanted",
        _present("veux", "veut", "veulent"),
        _PEOPLE,
        frame="infinitive",
        present_only=True,
    ),
    _verb(
        "think thinks thought",
        _present("pense", "pense", "pensent"),
        _PEOPLE,
        frame="that",
        present_only=True,
    ),
    _verb(
        "know knows knew",
        _present("sais", "sait", "savent"),
        _PEOPLE,
        frame="that",
        name="know.fact",
        present_only=True,
    ),
    _verb(
        "know knows knew",
        _present("connais", "connaît", "connaissent"),
        _PEOPLE,
        "human youth building street text tale music drama river idea question",
        name="know.acquaintance",
        present_only=True,
    ),
)
