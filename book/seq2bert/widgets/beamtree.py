"""Beam tree: a sentence in, and all that a beam search looked at, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import traitlets
from torch import nn

from seq2bert import tree_picture
from seq2bert.batching import SentencePair
from seq2bert.search_tree import Node, SearchTree, grow
from seq2bert.tracing import LONGEST_TARGET
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import bundle
from seq2bert.widgets.answering import (
    Answer,
    Answering,
    asked_one_of,
    asked_words,
    check_sources,
    script,
)

WIDTHS = (1, 2, 3, 4, 5)
"""Widths of the beam that the reader may choose; 1 is greedy search."""


class BeamTree(Answering):
    """A field to type a sentence in, and the tree that beam search grows over its translations.

    Every beginning that a beam of the width could have kept is there, with its log-probability,
    and what became of it. The length penalty ranks what was found; it is moved without asking
    the model again. Examples are searched by the first model when the widget is made, so that
    there is something to see wherever nothing runs.

    Args:
        models: translators in eval mode, by title.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one.
        width: of the beam at first.
        length_penalty: at first, from 0 to 2.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        key: different for each widget of a page.

    Raises:
        ValueError: there is no model or no example, something is no translator, a title or a
            file is not known, an example cannot be read, or the width or the penalty is none that
            can be chosen.
    """

    _esm = script("beamtree")
    _css = bundle.styles("beamtree")

    kinds: ClassVar[Mapping[str, str]] = {"tree": "answer"}

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    penalty = traitlets.Float(1.0).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        width: int = 3,
        length_penalty: float | int = 1.0,
        stored: Mapping[str, str] | None = None,
        key: str = "beamtree",
    ) -> None:
        """Search the examples, and be ready for more."""
        check_sources(examples)
        if width not in WIDTHS:
            raise ValueError(f"width is {width}; expected one of {WIDTHS}")
        if not 0 <= length_penalty <= 2:
            raise ValueError(f"length_penalty is {length_penalty}; expected 0 to 2")
        super().__init__(models, source_vocabulary, target_vocabulary, stored, key=key)
        sources = [list(pair.source) for pair in examples.values()]
        answers = [self.answer({"source": source, "width": width})[0] for source in sources]
        with self.hold_sync():
            self.penalty = float(length_penalty)
            self.answers = [answer["answer"] for answer in answers]
            self.examples = [
                {"title": title, "source": source}
                for title, source in zip(examples, sources, strict=True)
            ]

    @property
    def tree(self) -> SearchTree:
        """What is shown at the moment."""
        return self._decode(self._current())

    @property
    def results(self) -> list[tuple[tuple[str, ...], float]]:
        """The results in their order, with the score that they are ranked by."""
        tree, vocabulary = self.tree, self._vocabularies[1]
        return [
            (
                tuple(word for word in vocabulary.decode(tree.tokens(place)) if word != EOS),
                tree.score(place, self.penalty),
            )
            for place in tree_picture.ranked(tree, self.penalty)
        ]

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The tree of a search.

        Args:
            request: ``source`` (words) and, where they are not the usual ones, ``model`` (place
                in the list) and ``width`` of the beam.

        Raises:
            ValueError: the request cannot be answered.
        """
        source = asked_words(request)
        width = asked_one_of(request, "width", WIDTHS, 3)
        read, written = self._vocabularies
        with self.asked_model(request) as model, torch.no_grad():
            device = next(model.parameters()).device
            ids = torch.tensor([read.encode(source)], device=device)
            memory = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
            tree = grow(model, memory, written, width, LONGEST_TARGET)
        nodes = [
            [node.parent, written.tokens[node.token], round(node.log_prob, 6), int(node.kept)]
            for node in tree.nodes
        ]
        answer = {"source": source, "width": width, "nodes": nodes, "found": list(tree.found)}
        return {"answer": answer}, []

    def _current(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self.shown["answer"] if self.shown else self.answers[0]
        return answer

    def _decode(self, answer: Mapping[str, Any]) -> SearchTree:
        """The tree of an answer."""
        vocabulary = self._vocabularies[1]
        nodes: list[Node] = []
        for parent, token, log_prob, kept in answer["nodes"]:
            step = 1 if parent < 0 else nodes[parent].step + 1
            (number,) = vocabulary.encode([token])
            nodes.append(Node(parent, step, number, float(log_prob), bool(kept), token == EOS))
        return SearchTree(tuple(nodes), tuple(answer["found"]))

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        counts = (len(self.models), "model"), (len(self.examples), "example")
        parts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
        return f"BeamTree({parts})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("beamtree") else None
        first, vocabulary = self.answers[0], self._vocabularies[1]
        tree, source = self._decode(first), first["source"]
        page = tree_picture.figure_html(tree, vocabulary, source, self.penalty)
        picture = tree_picture.tree_svg(tree, vocabulary, self.penalty)
        return bundle.beside(live, repr(self), picture, page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None
