"""Citations by author and year in round brackets: Bahdanau et al. (2015)."""

from dataclasses import dataclass, field

import sphinxcontrib.bibtex.plugin
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

NAME = "author_year_round"


def round_brackets() -> BracketStyle:
    """Return the brackets around a year."""
    return BracketStyle(left="(", right=")")


@dataclass
class RoundAuthorYear(AuthorYearReferenceStyle):
    """The author-year style of sphinxcontrib-bibtex, whose own brackets are square."""

    bracket_parenthetical: BracketStyle = field(default_factory=round_brackets)
    bracket_textual: BracketStyle = field(default_factory=round_brackets)
    bracket_author: BracketStyle = field(default_factory=round_brackets)
    bracket_label: BracketStyle = field(default_factory=round_brackets)
    bracket_year: BracketStyle = field(default_factory=round_brackets)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the style under the name that `_config.yml` gives."""
    sphinxcontrib.bibtex.plugin.register_plugin(
        "sphinxcontrib.bibtex.style.referencing", NAME, RoundAuthorYear
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
