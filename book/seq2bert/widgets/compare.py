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

    Of a model with several layers or heads the mean of all heads is drawn, or its best head:
    `draws` is "mean" or "best". A model without cross-attention has no picture: what it writes
    stands in its place.

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
        heads: for titles of `models` with several heads the best one, (layer, head) from 0.

    Raises:
        ValueError: there is no model or no example, something is no translator, a title, a file
            or a head is not known, or an example cannot be translated.
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
    draws = traitlets.Unicode("mean").tag(sync=True)

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
        heads: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        """Let every model translate the examples, and be ready for more."""
        check_sources(examples)
        super().__init__(models, source_vocabulary, target_vocabulary, stored, gold, key=key)
        compared = [
            (title, self._compared(model, pair))
            for title, pair in examples.items()
            for model in range(len(models))
        ]
        first = {one.title: one for _, one in compared[: len(models)]}
        heads = heads or {}
        _check_heads(heads, first)
        with self.hold_sync():
            self.models = [
                # of the usual model, with one layer of one head, nothing more is said
                model
                | ({"attention": False} if first[model["title"]].attention is None else {})
                | ({"head": list(heads[model["title"]])} if model["title"] in heads else {})
                for model in self.models
            ]
            self.maps, self.weights = encode_maps(
                {
                    f"{title}: {one.title}": one.attention
                    for title, one in compared
                    if one.attention is not None
                }
            )
            self.written = [list(one.written) for _, one in compared]
            self.examples = [gold_of(pair) | {"title": title} for title, pair in examples.items()]
            self.more = [short_pair(pair) for pair in more]

    @property
    def source(self) -> tuple[str, ...]:
        """The sentence that is shown at the moment."""
        return tuple((self.shown or self.examples[0])["source"])

    @property
    def attention(self) -> AttentionMap | None:
        """The attention of the chosen model, all heads of it; None where it has none."""
        return self.compared[self.chosen].attention

    @property
    def translations(self) -> dict[str, tuple[str, ...]]:
        """What each model writes by itself, by title."""
        return {one.title: one.written for one in self.compared}

    @property
    def errors(self) -> dict[str, float | None]:
        """The alignment error of each picture, by title; None without gold or without picture."""
        return {one.title: one.error for one in self.compared}

    @property
    def compared(self) -> list[Compared]:
        """All that is shown at the moment, a model each.

        A model that gave no answer to this sentence is shown with the sentence before.
        """
        if not self.shown:
            example = self.examples[0]
            source, reference = tuple(example["source"]), tuple(example["target"])
            count = sum(model.get("attention", True) for model in self.models)
            maps = iter(decode_maps(self.maps[:count], self.weights).values())
            return [
                Compared(
                    str(model["title"]),
                    source,
                    tuple(written),
                    reference,
                    next(maps) if model.get("attention", True) else None,
                    self._head(model),
                )
                for model, written in zip(self.models, self.written, strict=False)
            ]
        return [
            self._shown(model, entry)
            for model, entry in zip(self.models, self.shown["entries"], strict=True)
        ]

    def _shown(self, model: Mapping[str, Any], entry: Mapping[str, Any]) -> Compared:
        """What the front end shows of a model."""
        record, reference = entry["map"], entry.get("reference")
        attention = None
        if record is not None:
            (attention,) = decode_maps([record], self.shown_weights).values()
        return Compared(
            str(model["title"]),
            tuple(entry["source"] if attention is None else attention.key_tokens),
            tuple(entry["written"]),
            None if reference is None else tuple(reference),
            attention,
            self._head(model),
        )

    def _head(self, model: Mapping[str, Any]) -> tuple[int, int] | None:
        """The head of a model that is drawn; None for the mean of all."""
        if self.draws == "mean" or "head" not in model:
            return None
        layer, head = model["head"]
        return int(layer), int(head)

    def _compared(self, model: int, pair: SentencePair) -> Compared:
        """What a model writes, and its attention while it is made to write the reference."""
        request: dict[str, Any] = {"source": list(pair.source), "model": model}
        found = self.trace(request)
        written, reference = found.tokens, tuple(pair.target)
        title = str(self.models[model]["title"])
        if "cross" not in found.attention:
            return Compared(title, tuple(pair.source), written, reference, None)
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
        return Compared(title, tuple(pair.source), written, reference, attention)

    @traitlets.validate("chosen")
    def _check_chosen(self, proposal: dict[str, Any]) -> int:
        return within("chosen", int(proposal["value"]), 0, max(1, len(self.models)))

    @traitlets.validate("draws")
    def _check_draws(self, proposal: dict[str, Any]) -> str:
        draws = str(proposal["value"])
        if draws not in still_compare.DRAWS:
            raise ValueError(
                f"draws is {draws!r}; expected one of {', '.join(still_compare.DRAWS)}"
            )
        return draws

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
        best = any("head" in model for model in self.models)
        page = still_compare.compare_html(compared, self.chosen, titles, bool(self.more), best)
        return bundle.beside(live, repr(self), still_compare.compare_svg(compared), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _check_heads(heads: Mapping[str, tuple[int, int]], compared: Mapping[str, Compared]) -> None:
    """Check the best heads against the models, by title.

    Raises:
        ValueError: there is no such model, or it has no such head.
    """
    for title, head in heads.items():
        if title not in compared:
            raise ValueError(f"heads names {title!r}, which is not among the models")
        attention = compared[title].attention
        if attention is None:
            raise ValueError(f"heads[{title!r}] is {head!r}, but this model has no cross-attention")
        layers, count = attention.shape[:2]
        if not (len(head) == 2 and 0 <= head[0] < layers and 0 <= head[1] < count):
            raise ValueError(
                f"heads[{title!r}] is {head!r}; expected (layer, head) from 0: this model has "
                f"{layers} layers of {count} heads"
            )
