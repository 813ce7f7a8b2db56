"""One sentence, many translators: their attention side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets
from torch import nn

from seq2bert import corpus
from seq2bert.attention_map import AttentionMap
from seq2bert.batching import SentencePair
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import bundle, still_compare
from seq2bert.widgets.answering import check_sources, script
from seq2bert.widgets.checks import within
from seq2bert.widgets.compact import short_pair
from seq2bert.widgets.still_compare import Compared
from seq2bert.widgets.stored import decode_maps, encode_maps
from seq2bert.widgets.translating import Gold, Translating, gold_of, map_of


class Compare(Translating):
    """A field to type a sentence in, and a small heat map of it for each of many translators.

    So that pictures can be compared, all of them have the same rows: where the reference of a
    sentence is known, every model is made to write it, and what it would have written is said
    beside its picture. Where it is not known, each model is shown with its own translation.

    `chosen` is the model whose picture is enlarged, `query` the row that is held in it.

    Args:
        models: translators by title, in the order in which they are shown.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one. Where a pair has gold links
            (`corpus.Pair`), they are laid over the pictures.
        more: pairs that "another sentence" draws from.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        gold: gives the pair of any sentence of the language, and raises ValueError for others.
        key: different for each widget of a page.

    Raises:
        ValueError: there is no model or no example, something is no translator, a title or a
            file is not known, or an example cannot be translated.
    """

    _esm = script("compare")
    _css = bundle.styles("compare")

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    more = traitlets.List(traitlets.List()).tag(sync=True)
    # for each example, for each model: the words that it writes; its map stands at the same place
    written = traitlets.List(traitlets.List()).tag(sync=True)
    maps = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    # the front end writes this one; its bytes arrive as a memoryview
    shown_weights = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    chosen = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        more: Sequence[corpus.Pair] = (),
        stored: Mapping[str, str] | None = None,
        gold: Gold | None = corpus.translate,
        key: str = "compare",
    ) -> None:
        """Let every model translate the examples, and be ready for more."""
        check_sources(examples)
        super().__init__(models, source_vocabulary, target_vocabulary, stored, gold, key=key)
        compared = [
            (title, self._compared(model, pair))
            for title, pair in examples.items()
            for model in range(len(models))
        ]
        with self.hold_sync():
            self.maps, self.weights = encode_maps(
                {f"{title}: {one.title}": one.attention for title, one in compared}
            )
            self.written = [list(one.written) for _, one in compared]
            self.examples = [gold_of(pair) | {"title": title} for title, pair in examples.items()]
            self.more = [short_pair(pair) for pair in more]

    @property
    def source(self) -> tuple[str, ...]:
        """The sentence that is shown at the moment."""
        return tuple((self.shown or self.examples[0])["source"])

    @property
    def attention(self) -> AttentionMap:
        """The attention of the chosen model."""
        return self.compared[self.chosen].attention

    @property
    def translations(self) -> dict[str, tuple[str, ...]]:
        """What each model writes by itself, by title."""
        return {one.title: one.written for one in self.compared}

    @property
    def errors(self) -> dict[str, float | None]:
        """The alignment error of each picture, by title; None where gold is not known."""
        return {one.title: one.error for one in self.compared}

    @property
    def compared(self) -> list[Compared]:
        """All that is shown at the moment, a model each.

        A model that gave no answer to this sentence is shown with the sentence before.
        """
        titles = [str(model["title"]) for model in self.models]
        if not self.shown:
            maps = list(decode_maps(self.maps[: len(titles)], self.weights).values())
            reference = tuple(self.examples[0]["target"])
            return [
                Compared(title, tuple(self.written[place]), reference, maps[place])
                for place, title in enumerate(titles)
            ]
        found = []
        for title, entry in zip(titles, self.shown["entries"], strict=True):
            (attention,) = decode_maps([entry["map"]], self.shown_weights).values()
            reference = entry.get("reference")
            found.append(
                Compared(
                    title,
                    tuple(entry["written"]),
                    None if reference is None else tuple(reference),
                    attention,
                )
            )
        return found

    def _compared(self, model: int, pair: SentencePair) -> Compared:
        """What a model writes, and its attention while it is made to write the reference."""
        request: dict[str, Any] = {"source": list(pair.source), "model": model}
        found = self.trace(request)
        written, reference = found.tokens, tuple(pair.target)
        if written != reference or not found.finished:
            found = self.trace(request | {"prefix": [*reference, EOS]})
        own = map_of(found)
        attention = AttentionMap(
            own.weights,
            own.query_tokens,
            own.key_tokens,
            "cross",
            frozenset(getattr(pair, "sure", ())),
            frozenset(getattr(pair, "possible", ())),
            own.normalised,
        )
        return Compared(str(self.models[model]["title"]), written, reference, attention)

    @traitlets.validate("chosen")
    def _check_chosen(self, proposal: dict[str, Any]) -> int:
        return within("chosen", int(proposal["value"]), 0, max(1, len(self.models)))

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        counts = (len(self.models), "model"), (len(self.examples), "example")
        parts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
        return f"Compare({parts})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it pictures and tables for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("compare") else None
        compared = self.compared
        titles = [str(example["title"]) for example in self.examples]
        page = still_compare.compare_html(compared, self.chosen, titles, bool(self.more))
        return bundle.beside(live, repr(self), still_compare.compare_svg(compared), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None
