"""Translate and align: a sentence in, its translation and its attention out, word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets
from torch import nn

from seq2bert import corpus, pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.batching import SentencePair
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import bundle, still
from seq2bert.widgets.answering import check_sources, script
from seq2bert.widgets.compact import short_pair
from seq2bert.widgets.stored import decode_maps, encode_maps
from seq2bert.widgets.translating import Gold, Translating, answer_of, gold_of, map_of


class Translate(Translating):
    """A field to type a sentence in, what a translator makes of it, and what it looks at.

    Examples are translated by the first model when the widget is made, so that there is something
    to see wherever nothing runs.

    Args:
        models: translators in eval mode, by title.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one. Where a pair has gold links
            (`corpus.Pair`), they are laid over the picture of its reference.
        more: pairs that "another sentence" draws from.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        gold: gives the pair of any sentence of the language, and raises ValueError for others.
        key: names the widget in links that lead to it; different for each widget of a page.

    Raises:
        ValueError: there is no model or no example, something is no translator, a title or a
            file is not known, or an example cannot be translated.
    """

    _esm = script("translate")
    _css = bundle.styles("translate")

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    more = traitlets.List(traitlets.List()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    maps = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    # the front end writes this one; its bytes arrive as a memoryview
    shown_weights = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    query = traitlets.Int(-1).tag(sync=True)
    written = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        more: Sequence[corpus.Pair] = (),
        stored: Mapping[str, str] | None = None,
        gold: Gold | None = corpus.translate,
        key: str = "translate",
    ) -> None:
        """Translate the examples, and be ready for more."""
        check_sources(examples)
        super().__init__(models, source_vocabulary, target_vocabulary, stored, gold, key=key)
        traces = [self.trace({"source": list(pair.source)}) for pair in examples.values()]
        with self.hold_sync():
            self.maps, self.weights = encode_maps(
                {title: map_of(one) for title, one in zip(examples, traces, strict=True)}
            )
            self.answers = [answer_of(one) for one in traces]
            self.examples = [gold_of(pair) | {"title": title} for title, pair in examples.items()]
            self.more = [short_pair(pair) for pair in more]

    @property
    def attention(self) -> AttentionMap:
        """The attention that is shown at the moment, a row for each written token."""
        if self.shown:
            return next(iter(decode_maps([self.shown["map"]], self.shown_weights).values()))
        return next(iter(decode_maps(self.maps, self.weights).values()))

    @property
    def source(self) -> tuple[str, ...]:
        """The sentence that is shown at the moment."""
        return tuple((self.shown["answer"] if self.shown else self.answers[0])["source"])

    @property
    def translation(self) -> tuple[str, ...]:
        """What the model made of it, without `<eos>`."""
        steps = (self.shown["answer"] if self.shown else self.answers[0])["steps"]
        tokens = tuple(step["token"] for step in steps)
        return tokens[:-1] if tokens[-1:] == (EOS,) else tokens

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        counts = (len(self.models), "model"), (len(self.examples), "example")
        parts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
        return f"Translate({parts})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        example = next(iter(decode_maps(self.maps, self.weights).values()))
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("translate") else None
        page = still.translate_html(self.examples[0]["source"], example)
        return bundle.beside(live, repr(self), pictures.heat_map_svg(example), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None
