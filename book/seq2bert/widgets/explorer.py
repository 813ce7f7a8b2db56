"""The corpus explorer: sentence pairs of the miniature language, with the truth about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, ClassVar, get_args

import traitlets

from seq2bert import corpus, link_picture, pictures
from seq2bert.widgets import bundle
from seq2bert.widgets.answering import Answer, Asked, asked_words, script
from seq2bert.widgets.checks import within
from seq2bert.widgets.compact import short_pair

MOST_PAIRS = 400
"""With more of them a notebook would grow too large."""

Gold = Callable[[Sequence[str]], corpus.Pair]


class CorpusExplorer(Asked):
    """Pairs to leaf through, each with its gold alignment, to filter and to search.

    Nothing has to be computed for that: it works on the site and without a kernel. With a kernel
    any sentence of the language may be typed, and `translate` gives its pair.

    Args:
        pairs: what to leaf through.
        translate: gives the pair of a sentence of the language, and raises ValueError with the
            reason for others; None switches typing off.

    Raises:
        ValueError: there are no pairs or too many, or one of them is no pair of the corpus.
    """

    _esm = script("explorer")
    _css = bundle.styles("explorer")

    kinds: ClassVar[Mapping[str, str]] = {"translate": "answer"}
    who: ClassVar[str] = "the translation"

    pairs = traitlets.List(traitlets.List()).tag(sync=True)
    spans = traitlets.List(traitlets.Dict()).tag(sync=True)
    phenomena = traitlets.List(traitlets.Unicode()).tag(sync=True)
    place = traitlets.Int(0).tag(sync=True)
    phenomenon = traitlets.Unicode("").tag(sync=True)
    length = traitlets.Unicode("").tag(sync=True)
    search = traitlets.Unicode("").tag(sync=True)
    typed = traitlets.Dict().tag(sync=True)

    def __init__(
        self, pairs: Sequence[corpus.Pair], translate: Gold | None = corpus.translate
    ) -> None:
        """Show the first pair."""
        _check(pairs)
        self._translate = translate
        found = frozenset().union(*(pair.phenomena for pair in pairs))
        super().__init__(
            pairs=[short_pair(pair) for pair in pairs],
            spans=[_spans(pair) for pair in pairs],
            phenomena=[name for name in corpus.PHENOMENA if name in found],
        )
        self._pairs = list(pairs)

    @property
    def pair(self) -> corpus.Pair:
        """The pair that is shown at the moment."""
        if self.typed and self._translate is not None:
            return self._translate(str(self.typed["pair"][0]).split())
        return self._pairs[self.place]

    def answer(self, question: Mapping[str, Any]) -> Answer:
        """The pair of a sentence that the reader typed, ``{"pair": ..., "spans": ...}``.

        Args:
            question: ``source`` (words).

        Raises:
            ValueError: it is no sentence of the language, and why.
        """
        source = asked_words(question)
        if self._translate is None:
            raise ValueError("this explorer only searches: it was made with translate=None")
        pair = self._translate(source)
        return {"pair": short_pair(pair), "spans": _spans(pair)}, []

    def _hear(self, widget: Any, message: Any, buffers: Any) -> None:
        """Say hello only where there is somebody who translates."""
        if self._translate is not None:
            super()._hear(widget, message, buffers)

    @traitlets.validate("place")
    def _check_place(self, proposal: dict[str, Any]) -> int:
        return within("place", proposal["value"], 0, len(self.pairs))

    @traitlets.validate("phenomenon")
    def _check_phenomenon(self, proposal: dict[str, Any]) -> str:
        return _one_of("phenomenon", proposal["value"], ["", *self.phenomena])

    @traitlets.validate("length")
    def _check_length(self, proposal: dict[str, Any]) -> str:
        return _one_of("length", proposal["value"], ["", *get_args(corpus.LengthClass)])

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        count = len(self.pairs)
        return f"CorpusExplorer({count} pair{'s' * (count != 1)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        pair = self.pair
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("explorer") else None
        page = explorer_html(pair, len(self.pairs))
        return bundle.beside(live, repr(self), link_picture.links_svg(pair), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def explorer_html(pair: corpus.Pair, count: int) -> str:
    """The explorer where nothing runs: the parts of the live one, at rest.

    Args:
        pair: which pair is drawn.
        count: how many there are in all.
    """
    shows = "".join(
        f'<span class="s2b-button s2b-chip">{escape(readable(name))}</span>'
        for name in corpus.PHENOMENA
        if name in pair.spans
    )
    samples = "".join(
        f'<span class="s2b-legend">{_sample(kind)}{name}</span>'
        for kind, name in (("sure", "sure link"), ("possible", "only possible"))
    )
    box = pictures.scrolling("s2b-scroll", "Picture of the alignment")
    twin = pictures.scrolling("s2b-table-box", "Table of the links")
    return (
        '<figure style="margin:0"><div class="s2b s2b-explorer s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Search for a word, English or French</span>'
        '<span class="s2b-input"><span class="s2b-hint">voiture</span></span></div>'
        # where the live widget has its choices and buttons
        '<div class="s2b-bar s2b-filters"></div>'
        f'<p class="s2b-status">{count} pairs, to be explored where scripts run.</p>'
        '<div class="s2b-bar s2b-turn"></div>'
        f'<div class="s2b-holder">{box}<div class="s2b-frame">{link_picture.links_svg(pair)}</div>'
        f'</div></div><p class="s2b-readout">{escape(link_picture.counts(pair))}</p>'
        f'<div class="s2b-shows"><span>Shows</span>{shows}</div>'
        f'<div class="s2b-foot">{samples}</div>'
        f'<details class="s2b-twin"><summary>Table of the links</summary>{twin}'
        f"{link_picture.links_table(pair)}</div></details></div></figure>"
    )


def readable(phenomenon: str) -> str:
    """The name of a phenomenon as it is shown to readers."""
    return phenomenon.replace("_", " ")


def _spans(pair: corpus.Pair) -> dict[str, list[int]]:
    return {name: sorted(pair.spans[name]) for name in corpus.PHENOMENA if name in pair.spans}


def _sample(kind: str) -> str:
    return (
        '<svg class="s2b-sample" viewBox="0 0 24 14" width="24" height="14" aria-hidden="true">'
        f'<path class="s2b-link s2b-gold s2b-{kind}" d="M1 7H23"/></svg>'
    )


def _one_of(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(map(repr, known))}")
    return value


def _check(pairs: Sequence[corpus.Pair]) -> None:
    if not 0 < len(pairs) <= MOST_PAIRS:
        raise ValueError(
            f"there are {len(pairs)} pairs; give a list of 1 to {MOST_PAIRS}, "
            "corpus.pairs('test', 250) say"
        )
    for index, pair in enumerate(pairs):
        if not isinstance(pair, corpus.Pair):
            raise ValueError(
                f"pair {index} is a {type(pair).__name__}; expected a corpus.Pair, as "
                "corpus.pairs and corpus.translate give it"
            )
