"""Step through: a sentence in, and every state of encoder and decoder, one step at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from torch import nn

from seq2bert import strips
from seq2bert.batching import SentencePair
from seq2bert.stepping import Likeness, Walk, walk
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import bundle, still_steps
from seq2bert.widgets.answering import Answer, Answering, asked_words, check_sources, script


class StepThrough(Answering):
    """A sentence on its way through an encoder-decoder, step by step.

    Steps are counted from 1: one for each word that the encoder reads, one for the hand-over of
    c, one for each word that the decoder writes. `position` is the step that is shown; -1 is the
    first one of the decoder. Examples are walked through by the first model when the widget is
    made, so that there is something to see wherever nothing runs.

    Args:
        models: encoder-decoders in eval mode, by title.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        examples: sentence pairs by title, at least one.
        more: pairs that "another sentence" draws from.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        key: names the widget; different for each widget of a page.

    Raises:
        ValueError: there is no model or no example, something is no encoder-decoder whose output
            can be compared with word vectors, a title or a file is not known, or an example cannot
            be translated.
    """

    _esm = script("stepthrough")
    _css = bundle.styles("stepthrough")

    kinds: ClassVar[Mapping[str, str]] = {"steps": "answer"}

    examples = traitlets.List(traitlets.Dict()).tag(sync=True)
    more = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)
    numbers = traitlets.Bytes().tag(sync=True)
    heads = traitlets.List(traitlets.Dict()).tag(sync=True)
    vectors = traitlets.Bytes().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    # the front end writes this one; its bytes arrive as a memoryview
    shown_numbers = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    position = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        examples: Mapping[str, SentencePair],
        more: Sequence[SentencePair] = (),
        stored: Mapping[str, str] | None = None,
        key: str = "steps",
    ) -> None:
        """Walk through the examples, and be ready for more."""
        check_sources(examples)
        for title, model in models.items():
            if not (hasattr(model, "word_vectors") and hasattr(model, "bias")):
                raise ValueError(
                    f"models[{title!r}] is a {type(model).__name__}; expected an EncoderDecoder: "
                    "one with word_vectors, a bias, and the output vector in its state"
                )
        super().__init__(models, source_vocabulary, target_vocabulary, stored, key=key)
        walks = [self._walk({"source": list(pair.source)}) for pair in examples.values()]
        self._first = walks[0]
        with self.hold_sync():
            self.heads, self.vectors = _heads(models, stored or {})
            self.answers, self.numbers = _encoded(walks)
            self.examples = [
                {"title": title, "source": list(pair.source)} for title, pair in examples.items()
            ]
            self.more = [" ".join(pair.source) for pair in more]

    def answer(self, question: Mapping[str, Any]) -> Answer:
        """Every step of a translation, and the states.

        Args:
            question: ``source`` (words) and, where they are not the usual ones, ``model`` (place
                in the list) and ``prefix`` (words that the translation begins with).

        Raises:
            ValueError: the question cannot be answered.
        """
        (record,), numbers = _encoded([self._walk(question)])
        return {"answer": record}, [numbers]

    def _walk(self, question: Mapping[str, Any]) -> Walk:
        source = asked_words(question)
        with self.asked_model(question) as model:
            return walk(model, source, *self._vocabularies, prefix=question.get("prefix", []))

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        counts = (len(self.models), "model"), (len(self.examples), "example")
        parts = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
        return f"StepThrough({parts})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it pictures and tables for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("stepthrough") else None
        page = still_steps.steps_html(self._first, len(self.examples), bool(self.more))
        return bundle.beside(live, repr(self), strips.states_svg(self._first), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _encoded(walks: Sequence[Walk]) -> tuple[list[dict[str, Any]], bytes]:
    """Walks as records, and their states as float32, one after the other: encoder, decoder."""
    records, states, offset = [], [], 0
    for one in walks:
        both = torch.cat([one.encoder, one.decoder])
        records.append(
            {
                "source": list(one.source),
                "moments": [
                    {
                        "read": moment.read,
                        "written": _row(moment.written),
                        "best": [_row(word) for word in moment.best],
                        "nearest": _row(moment.nearest),
                    }
                    for moment in one.moments
                ],
                "hidden": both.shape[1],
                "offset": offset,
            }
        )
        states.append(both.numpy().astype("<f4").tobytes())
        offset += both.numel()
    return records, b"".join(states)


def _row(word: Likeness) -> list[Any]:
    numbers = (word.dot, word.cosine, word.log_prob)
    return [word.token, *(round(number, 6) for number in numbers)]


def _heads(
    models: Mapping[str, nn.Module], stored: Mapping[str, str]
) -> tuple[list[dict[str, Any]], bytes]:
    """The word vectors of the stored models, for a page without a kernel.

    In half precision, as the stored weights are; for each model where they begin and how wide
    they are, and nothing for a model that is not stored.
    """
    heads: list[dict[str, Any]] = []
    parts: list[bytes] = []
    offset = 0
    for title, model in models.items():
        if title not in stored:
            heads.append({})
            continue
        vectors: Any = model.word_vectors
        matrix = vectors.detach().cpu().numpy().astype(np.dtype("<f2"))
        heads.append({"offset": offset, "width": matrix.shape[1]})
        parts.append(matrix.tobytes())
        offset += matrix.size
    return heads, b"".join(parts)
