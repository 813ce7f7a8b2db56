"""The nouns of the language. Within a group the more frequent ones stand first."""

from __future__ import annotations

from .lexicon import Gender, Noun


def _count(
    english: str,
    plural: str,
    french: str,
    gender: Gender,
    kind: str,
    french_plural: str = "",
    goal: bool = False,
    sense: str = "",
) -> Noun:
    return Noun(
        english, plural, french, french_plural or french + "s", gender, kind, goal, False, sense
    )


def _mass(english: str, french: str, gender: Gender, kind: str) -> Noun:
    return Noun(english, "", french, "", gender, kind, False, True)


NOUNS: tuple[Noun, ...] = (
    # people, each with one French noun; hands and feet stand here to be frequent
    _count("boy", "boys", "garçon", "m", "youth"),
    _count("girl", "girls", "fille", "f", "youth"),
    _count("man", "men", "homme", "m", "human"),
    _count("woman", "women", "femme", "f", "human"),
    _count("hand", "hands", "main", "f", "body"),
    _count("foot", "feet", "pied", "m", "body"),
    _count("child", "children", "enfant", "m", "youth"),
    _count("king", "kings", "roi", "m", "human"),
    _count("queen", "queens", "reine", "f", "human"),
    _count("teacher", "teachers", "professeur", "m", "human"),
    _count("singer", "singers", "chanteuse", "f", "human"),
    _count("player", "players", "joueur", "m", "human"),
    _count("reader", "readers", "lectrice", "f", "human"),
    _count("painter", "painters", "peintre", "m", "human"),
    _count("hero", "heroes", "héros", "m", "human", french_plural="héros"),
    # animals
    _count("dog", "dogs", "chien", "m", "animal"),
    _count("cat", "cats", "chat", "m", "animal"),
    _count("bird", "birds", "oiseau", "m", "animal", french_plural="oiseaux"),
    _count("cow", "cows", "vache", "f", "animal"),
    _count("horse", "horses", "cheval", "m", "animal", french_plural="chevaux"),
    _count("mouse", "mice", "souris", "f", "animal", french_plural="souris"),
    _count("owl", "owls", "hibou", "m", "animal", french_plural="hiboux"),
    # vehicles
    _count("car", "cars", "voiture", "f", "vehicle"),
    _count("train", "trains", "train", "m", "vehicle"),
    _count("boat", "boats", "bateau", "m", "vehicle", french_plural="bateaux"),
    _count("plane", "planes", "avion", "m", "vehicle"),
    # music and games
    Noun("football", "", "football", "", "m", "game", mass=True),
    Noun("chess", "", "", "échecs", "m", "game", mass=True),
    Noun("cards", "", "", "cartes", "f", "game", mass=True),
    _count("guitar", "guitars", "guitare", "f", "instrument"),
    _count("piano", "pianos", "piano", "m", "instrument"),
    # what is read, sung, asked
    _count("book", "books", "livre", "m", "text"),
    _count("letter", "letters", "lettre", "f", "text"),
    _count("story", "stories", "histoire", "f", "tale"),
    _count("newspaper", "newspapers", "journal", "m", "press", french_plural="journaux"),
    _count("play", "plays", "pièce", "f", "drama", sense="play.theatre"),
    _count("song", "songs", "chanson", "f", "music"),
    _count("question", "questions", "question", "f", "question"),
    _count("answer", "answers", "réponse", "f", "idea"),
    _count("idea", "ideas", "idée", "f", "idea"),
    # what opens
    _count("door", "doors", "porte", "f", "opening"),
    _count("window", "windows", "fenêtre", "f", "opening"),
    _count("box", "boxes", "boîte", "f", "container"),
    _count("bag", "bags", "sac", "m", "container"),
    # places
    _count("house", "houses", "maison", "f", "building"),
    _count("school", "schools", "école", "f", "building", goal=True),
    _count("hotel", "hotels", "hôtel", "m", "building", goal=True),
    _count("church", "churches", "église", "f", "building", goal=True),
    _count("bank", "banks", "banque", "f", "building", goal=True, sense="bank.money"),
    _count("bank", "banks", "rive", "f", "shore", sense="bank.river"),
    _count("room", "rooms", "chambre", "f", "room"),
    _count("garden", "gardens", "jardin", "m", "garden"),
    _count("park", "parks", "parc", "m", "garden", goal=True),
    _count("market", "markets", "marché", "m", "market", goal=True),
    _count("street", "streets", "rue", "f", "street"),
    _count("river", "rivers", "fleuve", "m", "river"),
    # food and drink
    _count("apple", "apples", "pomme", "f", "food"),
    _count("cake", "cakes", "gâteau", "m", "food", french_plural="gâteaux"),
    _count("egg", "eggs", "œuf", "m", "food"),
    _mass("bread", "pain", "m", "food"),
    _mass("soup", "soupe", "f", "food"),
    _mass("water", "eau", "f", "drink"),
    _mass("milk", "lait", "m", "drink"),
    _count("match", "matches", "match", "m", "event", sense="match.game"),
    _count("match", "matches", "allumette", "f", "stick", sense="match.fire"),
    # things
    _count("table", "tables", "table", "f", "furniture"),
    _count("chair", "chairs", "chaise", "f", "furniture"),
    _count("key", "keys", "clé", "f", "object"),
    _count("hat", "hats", "chapeau", "m", "clothing", french_plural="chapeaux"),
    _count("dress", "dresses", "robe", "f", "clothing"),
    _count("watch", "watches", "montre", "f", "machine", sense="watch.clock"),
    _count("picture", "pictures", "tableau", "m", "picture", french_plural="tableaux"),
    _count("tree", "trees", "arbre", "m", "tree"),
    _count("flower", "flowers", "fleur", "f", "flower"),
    _count("star", "stars", "étoile", "f", "light"),
    _count("light", "lights", "lumière", "f", "light", sense="light.lamp"),
)
