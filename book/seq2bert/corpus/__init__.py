"""A miniature English-French language whose truth is known.

A synchronous grammar gives any number of sentence pairs and, for each, the gold word alignment, the
antecedent of every pronoun and the sense of every ambiguous word. The page
`reference/language` of the book describes the language.

    >>> pair = pairs("train", 1)[0]
    >>> translate("the car stops because it is old .".split()).target[-3:]
    ('est', 'vieille', '.')

`pairs` and `passages` draw, `translate` takes any sentence of the language, `minimal_pairs` shows
what one word changes.
"""

from .forms import ENGLISH_WORDS, FRENCH_WORDS
from .minimal import MINIMAL_PHENOMENA, minimal_pairs
from .pair import PHENOMENA, Antecedent, LengthClass, Link, Pair, Sense
from .passages import PASSAGE_SPLITS, Passage, Reference, passages
from .splits import SPLITS, Split, pairs
from .translate import translate

__all__ = [
    "ENGLISH_WORDS",
    "FRENCH_WORDS",
    "MINIMAL_PHENOMENA",
    "PASSAGE_SPLITS",
    "PHENOMENA",
    "SPLITS",
    "Antecedent",
    "LengthClass",
    "Link",
    "Pair",
    "Passage",
    "Reference",
    "Sense",
    "Split",
    "minimal_pairs",
    "pairs",
    "passages",
    "translate",
]
