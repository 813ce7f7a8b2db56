"""Distribution sliders: the next word, and what temperature, top-k and top-p make of it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor, nn

from seq2bert import bars
from seq2bert.batching import SentencePair
from seq2bert.sampled import next_word
from seq2bert.sampling import top_k, top_p, with_temperature
from seq2bert.tracing import LONGEST_TARGET
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import bundle
from seq2bert.widgets.answering import Answer, Answering, asked_words, check_sources, script


class Distribution(Answering):
    """A field to type a sentence in, a beginning of its translation, and the word that comes next.

    Three sliders change the distribution, in this order: temperature, top-k, top-p. They work
    without asking the model again. Examples are asked about when the widget is made, so that
    there is something to see wherever nothing runs.

    Args:
        models: translators in eval mode, by title.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one.
        prefixes: for titles of `examples` words that the translation begins with.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        key: different for each widget of a page.

    Raises:
        ValueError: there is no model or no example, something is no translator, a title or a
            file is not known, an example cannot be read, or a prefix holds an unknown word.
    """

    _esm = script("distribution")
    _css = bundle.styles("distribution")

    kinds: ClassVar[Mapping[str, str]] = {"next": "answer"}

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    log_probs = traitlets.Bytes().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    # the front end writes this one; its bytes arrive as a memoryview
    shown_log_probs = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    temperature = traitlets.Float(1.0).tag(sync=True)
    k = traitlets.Int(0, help="0 keeps all words").tag(sync=True)
    p = traitlets.Float(1.0).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        prefixes: Mapping[str, Sequence[str]] | None = None,
        stored: Mapping[str, str] | None = None,
        key: str = "distribution",
    ) -> None:
        """Ask about the examples, and be ready for more."""
        check_sources(examples)
        prefixes = prefixes or {}
        unknown = next((title for title in prefixes if title not in examples), None)
        if unknown is not None:
            raise ValueError(f"prefixes names {unknown!r}, which is not among the examples")
        super().__init__(models, source_vocabulary, target_vocabulary, stored, key=key)
        asked = [
            {"title": title, "source": list(pair.source), "prefix": list(prefixes.get(title, ()))}
            for title, pair in examples.items()
        ]
        found = [self.answer(one)[1][0] for one in asked]
        with self.hold_sync():
            self.log_probs = b"".join(found)
            self.examples = asked

    @property
    def distribution(self) -> Float[Tensor, "vocabulary"]:
        """The log-probabilities that are shown at the moment, after the sliders."""
        changed = with_temperature(torch.from_numpy(self._numbers()), self.temperature)
        return top_p(top_k(changed, self.k or len(changed)), self.p)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The log-probabilities of the next word, for every word of the target vocabulary.

        Args:
            request: ``source`` (words) and, where they are not the usual ones, ``model`` (place
                in the list) and ``prefix`` (words that are written already).

        Raises:
            ValueError: the request cannot be answered.
        """
        source, prefix = asked_words(request), list(request.get("prefix", []))
        if len(prefix) >= LONGEST_TARGET:
            raise ValueError(f"{len(prefix)} words are written already: take some away")
        read, written = self._vocabularies
        with self.asked_model(request) as model, torch.no_grad():
            device = next(model.parameters()).device
            ids = torch.tensor([read.encode(source)], device=device)
            memory = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
            log_probs = next_word(model, memory, written, prefix)
        return {"answer": {"source": source, "prefix": prefix}}, [_bytes(log_probs)]

    def _numbers(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The log-probabilities that are shown, before the sliders."""
        size = len(self.target_words)
        stored = self.shown_log_probs if self.shown else self.log_probs
        return np.frombuffer(stored, dtype="<f4")[:size].astype(np.float32)

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        counts = (len(self.models), "model"), (len(self.examples), "example")
        parts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
        return f"Distribution({parts})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("distribution") else None
        first = self.examples[0]
        size = len(self.target_words)
        numbers = np.frombuffer(self.log_probs, dtype="<f4")[:size].astype(float).tolist()
        page = bars.figure_html(self.target_words, numbers, first["source"], first["prefix"])
        picture = bars.bars_svg(self.target_words, numbers)
        return bundle.beside(live, repr(self), picture, page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _bytes(log_probs: Tensor) -> bytes:
    content: bytes = log_probs.numpy().astype("<f4").tobytes()
    return content
