"""All heads of one translator, each with a switch: what is lost when it is off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, get_args

import torch
import traitlets
from torch import Tensor, nn

from seq2bert import corpus
from seq2bert.attention_map import AttentionMap, Kind
from seq2bert.batching import SentencePair
from seq2bert.decoding import greedy
from seq2bert.tracing import LONGEST_SOURCE, Trace
from seq2bert.translator import Interventions
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import bundle, still_heads
from seq2bert.widgets.answering import Answer, check_sources, script
from seq2bert.widgets.checks import within
from seq2bert.widgets.compact import short_pair
from seq2bert.widgets.stored import decode_maps, encode_maps
from seq2bert.widgets.translating import (
    Gold,
    Translating,
    answer_of,
    asked_head_mask,
    gold_of,
    map_of,
)

MOST_HELD_OUT = 200
"""So many sentences at most are translated anew with every switch."""


class HeadExplorer(Translating):
    """A sentence, its translation, and every head that took part, each with a switch.

    A head that is off gives nothing to its layer (its context is multiplied by 0). With every
    switch the sentence is translated anew, beside what all heads write, and the held-out
    sentences are counted that still come out exactly right.

    `off` lists the heads that are off, ``[kind, layer, head]`` from 0; set it from Python, or
    read what the reader did (`head_mask` is the same as tensors). `kind`, `layer` and `head` are
    the head that is enlarged, `query` the row that is held in it.

    Args:
        model: a translator in eval mode, with attention.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one.
        held_out: sentence pairs that are counted, 1 to 200; about 50 are quick enough.
        more: pairs that "another sentence" draws from.
        stored: the name of the model's weights and graphs in `book/runs`.
        gold: gives the pair of any sentence of the language, and raises ValueError for others.
        title: of the model.
        key: names the widget in links that lead to it; different for each widget of a page.

    Raises:
        ValueError: something is no translator or has no attention, there is no example or no
            held-out pair, or too many, a file is not known, or a sentence cannot be translated.
    """

    kinds: ClassVar[Mapping[str, str]] = {"heads": "heads_answer", "accuracy": "accuracy_answer"}

    _esm = script("heads")
    _css = bundle.styles("heads")

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    more = traitlets.List(traitlets.List()).tag(sync=True)
    held_out = traitlets.List(traitlets.List()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    # for each example a map of each kind, in the order of `_shapes`
    maps = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    # the front end writes this one; its bytes arrive as a memoryview
    shown_weights = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    off = traitlets.List(traitlets.List()).tag(sync=True)
    accuracy = traitlets.Dict().tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        model: nn.Module,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        held_out: Sequence[SentencePair],
        more: Sequence[corpus.Pair] = (),
        stored: str | None = None,
        gold: Gold | None = corpus.translate,
        title: str = "the translator",
        key: str = "heads",
    ) -> None:
        """Translate the examples and the held-out pairs with all heads, and be ready for more."""
        check_sources(examples)
        _check_held_out(held_out)
        self._held_out = list(held_out)
        self._shapes: dict[Kind, tuple[int, int]] = {}
        super().__init__(
            {title: model},
            source_vocabulary,
            target_vocabulary,
            None if stored is None else {title: stored},
            gold,
            key=key,
        )
        traces = [self.trace({"source": list(pair.source)}) for pair in examples.values()]
        maps = [_maps_of(one) for one in traces]
        self._shapes = {kind: attention.shape[:2] for kind, attention in maps[0].items()}
        if not self._shapes:
            raise ValueError("this translator has no attention, so it has no heads to show")
        whole = self._right({})
        with self.hold_sync():
            self.maps, self.weights = encode_maps(
                {
                    f"{title}: {kind}": attention
                    for title, found in zip(examples, maps, strict=True)
                    for kind, attention in found.items()
                }
            )
            self.answers = [answer_of(one) for one in traces]
            self.examples = [gold_of(pair) | {"title": title} for title, pair in examples.items()]
            self.more = [short_pair(pair) for pair in more]
            self.held_out = [[" ".join(p.source), " ".join(p.target)] for p in self._held_out]
            self.accuracy = {"right": whole, "whole": whole, "total": len(held_out), "off": []}
            self.kind = "cross" if "cross" in self._shapes else next(iter(self._shapes))

    @property
    def head_mask(self) -> dict[Kind, Tensor]:
        """The factor of every head, by kind: what `Interventions` takes."""
        masks = {kind: torch.ones(shape) for kind, shape in self._shapes.items()}
        for kind, layer, head in self.off:
            masks[kind][layer, head] = 0
        return masks

    @property
    def source(self) -> tuple[str, ...]:
        """The sentence that is shown at the moment."""
        return tuple((self.shown["answer"] if self.shown else self.answers[0])["source"])

    @property
    def attention(self) -> AttentionMap:
        """The attention of the kind that is shown at the moment, all heads of it."""
        return self._maps()[self.kind]  # type: ignore[index]

    def heads_answer(self, request: Mapping[str, Any]) -> Answer:
        """A translation with some heads off, its attention, and what all heads write.

        Args:
            request: ``source`` (words) and ``head_mask``, for some kinds a factor for each head
                of each layer.

        Raises:
            ValueError: the request cannot be answered.
        """
        self._check_mask(request)
        found = self.trace(request)
        whole = self.trace({"source": request["source"]}) if request.get("head_mask") else found
        records, weights = encode_maps({str(kind): one for kind, one in _maps_of(found).items()})
        answer = {"answer": self.told(found), "whole": list(whole.tokens), "maps": records}
        return answer, [weights]

    def accuracy_answer(self, request: Mapping[str, Any]) -> Answer:
        """How many held-out sentences come out exactly right.

        Args:
            request: ``head_mask``, for some kinds a factor for each head of each layer.

        Raises:
            ValueError: the request cannot be answered.
        """
        masks = self._check_mask(request)
        right, whole = self._right(masks), self._right({})
        return {"right": right, "whole": whole, "total": len(self._held_out)}, []

    def _right(self, head_mask: Mapping[Kind, Tensor]) -> int:
        """How many held-out sentences come out exactly right, in one batch."""
        with self.asked_model({}) as model:
            found = greedy(
                model,
                [pair.source for pair in self._held_out],
                *self._vocabularies,
                # what is longer than every reference is wrong, however it goes on
                max_length=max(len(pair.target) for pair in self._held_out),
                interventions=Interventions(head_mask),
            )
        return sum(
            one.finished and one.tokens == tuple(pair.target)
            for one, pair in zip(found, self._held_out, strict=True)
        )

    def _maps(self) -> dict[Kind, AttentionMap]:
        """What is shown at the moment; gold lies over it where gold speaks of what was written."""
        if self.shown:
            records, weights = self.shown["maps"], self.shown_weights
            answer, gold = self.shown["answer"], self.shown["answer"].get("gold")
        else:
            records, weights = self.maps[: len(self._shapes)], self.weights
            answer, gold = self.answers[0], self.examples[0]
        maps: dict[Kind, AttentionMap] = {
            one.kind: one for one in decode_maps(records, weights).values()
        }
        tokens = [step["token"] for step in answer["steps"]]
        if gold and "cross" in maps and tokens == [*gold["target"], EOS]:
            cross = maps["cross"]
            maps["cross"] = replace(
                cross,
                sure=frozenset((query, key) for query, key in gold["sure"]),
                possible=frozenset((query, key) for query, key in gold["possible"]),
            )
        return maps

    def _check_mask(self, request: Mapping[str, Any]) -> dict[Kind, Tensor]:
        """The factors of a request, if they are those of this model's heads.

        Raises:
            ValueError: they are not.
        """
        masks = asked_head_mask(request)
        for kind, mask in masks.items():
            if tuple(mask.shape) != self._shapes.get(kind):
                raise ValueError(
                    f"factors for {kind} of the shape {tuple(mask.shape)}; this model has "
                    f"{self._shapes}: (layers, heads) for each kind"
                )
        return masks

    @traitlets.validate("off")
    def _check_off(self, proposal: dict[str, Any]) -> list[list[Any]]:
        heads = []
        known: set[Any] = {
            (kind, layer, head)
            for kind, (layers, count) in self._shapes.items()
            for layer in range(layers)
            for head in range(count)
        }
        for one in proposal["value"]:
            if tuple(one) not in known:
                raise ValueError(
                    f"off holds {one!r}; expected [kind, layer, head] of a head that this model "
                    f"has, counted from 0: (layers, heads) are {self._shapes}"
                )
            if list(one) not in heads:
                heads.append(list(one))
        return heads

    @traitlets.validate("kind")
    def _check_kind(self, proposal: dict[str, Any]) -> str:
        kind = str(proposal["value"])
        if kind not in self._shapes:
            raise ValueError(f"kind is {kind!r}; this model has {', '.join(self._shapes)}")
        return kind

    @traitlets.validate("layer")
    def _check_layer(self, proposal: dict[str, Any]) -> int:
        return within("layer", int(proposal["value"]), 0, self._most(0))

    @traitlets.validate("head")
    def _check_head(self, proposal: dict[str, Any]) -> int:
        return within("head", int(proposal["value"]), 0, self._most(1))

    def _most(self, axis: int) -> int:
        return max((shape[axis] for shape in self._shapes.values()), default=1)

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        heads = ", ".join(f"{kind} {a} x {b}" for kind, (a, b) in self._shapes.items())
        count = len(self.examples)
        return f"HeadExplorer({heads}, {count} example{'s' * (count != 1)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it pictures and tables for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("heads") else None
        maps = self._maps()
        # kinds may differ in their number of layers and heads
        layers, heads = self.attention.shape[:2]
        page = still_heads.heads_html(
            maps,
            (self.attention.kind, min(self.layer, layers - 1), min(self.head, heads - 1)),
            self.source,
            self.accuracy,  # type: ignore[arg-type]
            [str(example["title"]) for example in self.examples],
            bool(self.more),
        )
        return bundle.beside(live, repr(self), still_heads.heads_svg(maps), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _maps_of(found: Trace) -> dict[Kind, AttentionMap]:
    """All attention of a translation, in the order in which it is computed."""
    return {kind: map_of(found, kind) for kind in get_args(Kind) if kind in found.attention}


def _check_held_out(pairs: Sequence[SentencePair]) -> None:
    if not 0 < len(pairs) <= MOST_HELD_OUT:
        raise ValueError(
            f"{len(pairs)} held-out pairs; expected 1 to {MOST_HELD_OUT}, since all of them are "
            "translated with every switch"
        )
    for number, pair in enumerate(pairs):
        if not (0 < len(pair.source) <= LONGEST_SOURCE and pair.target):
            raise ValueError(
                f"held-out pair {number} has {len(pair.source)} words and {len(pair.target)} in "
                f"its translation; expected 1 to {LONGEST_SOURCE}, and at least 1"
            )
