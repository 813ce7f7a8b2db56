"""Translate and align: a sentence in, its translation and its attention out, word by word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import traitlets
from torch import nn

from seq2bert import corpus, pictures, runs
from seq2bert.attention_map import AttentionMap
from seq2bert.batching import SentencePair
from seq2bert.tracing import LONGEST_SOURCE, Trace, trace
from seq2bert.translator import Interventions, Translator
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import bundle, still
from seq2bert.widgets.compact import short_pair
from seq2bert.widgets.stored import decode_maps, encode_maps

WIDTHS = (1, 2, 4, 8)
"""Widths of the beam that the reader may choose; 1 is greedy search."""

Gold = Callable[[Sequence[str]], corpus.Pair]


class Translate(anywidget.AnyWidget):
    """A field to type a sentence in, what a translator makes of it, and what it looks at.

    In a notebook the models given here answer. On the site there is no kernel: there the models
    in `stored` answer, which are the same ones as ONNX graphs (`seq2bert.onnx_export`); a model
    that is not stored cannot be chosen there. Examples are translated by the first model when the
    widget is made, so that there is something to see wherever nothing runs.

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

    _esm = bundle.script("translate") or "export default { render() {} }"
    _css = bundle.styles("translate")

    key = traitlets.Unicode("translate").tag(sync=True)
    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    source_words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target_words = traitlets.List(traitlets.Unicode()).tag(sync=True)
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
        self._check(models, examples, stored or {})
        self._models = list(models.values())
        self._vocabularies = source_vocabulary, target_vocabulary
        self._gold = gold
        traces = [self._trace({"source": list(pair.source)}) for pair in examples.values()]
        records, weights = encode_maps(
            {title: one.map() for title, one in zip(examples, traces, strict=True)}
        )
        super().__init__(
            key=key,
            models=[
                {"title": title, "stored": _files((stored or {}).get(title))} for title in models
            ],
            source_words=list(source_vocabulary.tokens),
            target_words=list(target_vocabulary.tokens),
            examples=[_pair(pair) | {"title": title} for title, pair in examples.items()],
            more=[short_pair(pair) for pair in more],
            answers=[_answer(one) for one in traces],
            maps=records,
            weights=weights,
        )
        self.on_msg(self._hear)

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

    def answer(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        """What the front end gets for a request: a message and its buffers.

        Args:
            request: ``source`` (words) and, where they are not the usual ones, ``model`` (place
                in the list), ``prefix`` (words that the translation begins with), ``width`` of
                the beam, ``temperature`` and ``scale`` of the energies.

        Returns:
            ``{"type": "answer", ...}`` with the attention as float32, or ``{"type": "refusal",
            "message": ...}`` when there is no answer, with the reason for the reader.
        """
        try:
            found = self._trace(request)
            (record,), weights = encode_maps({"": found.map()})
        except ValueError as error:
            return {"type": "refusal", "message": str(error)}, []
        except Exception as error:  # a learner's model may raise anything: they shall read it
            reason = f"the model raised {type(error).__name__}: {error}"
            return {"type": "refusal", "message": reason}, []
        answer = _answer(found)
        if self._gold is not None:
            try:
                answer["gold"] = _pair(self._gold(found.source))
            except Exception:
                # not a sentence of the language, or a learner's own function that failed: the
                # translation is shown all the same, without a truth
                answer["gold"] = None
        return {"type": "answer", "answer": answer, "map": record}, [weights]

    def _trace(self, request: Mapping[str, Any]) -> Trace:
        source = request.get("source")
        words = isinstance(source, list) and all(isinstance(word, str) for word in source)
        if not words or not source:
            raise ValueError("there is no sentence to translate: type some words")
        index = request.get("model", 0)
        if index not in range(len(self._models)):
            raise ValueError(f"there is no model {index!r}; there are {len(self._models)}")
        width = request.get("width", 1)
        if width not in WIDTHS:
            raise ValueError(f"the width of the beam is {width!r}; expected one of {WIDTHS}")
        temperature, scale = (float(request.get(name, 1.0)) for name in ("temperature", "scale"))
        if not temperature > 0:
            raise ValueError(f"the temperature is {temperature}; expected more than 0")
        model = self._models[index]
        training = [module for module in model.modules() if module.training]
        model.eval()
        try:
            return trace(
                model,
                source,
                *self._vocabularies,
                prefix=request.get("prefix", []),
                width=width,
                interventions=Interventions(scale=scale, temperature=temperature),
            )
        finally:
            for module in training:  # each as it was: some may have been in eval mode
                module.training = True

    def _hear(self, _: Any, message: Any, buffers: Any) -> None:
        """Answer a message of the front end; the same id goes back with the answer."""
        if not isinstance(message, dict):
            return
        if message.get("type") == "hello":
            self.send({"type": "hello", "id": message.get("id")})
        elif message.get("type") == "translate":
            answer, weights = self.answer(message.get("request") or {})
            self.send(answer | {"id": message.get("id")}, weights)

    @staticmethod
    def _check(
        models: Mapping[str, nn.Module],
        examples: Mapping[str, SentencePair],
        stored: Mapping[str, str],
    ) -> None:
        if not models or not examples:
            what = "models" if not models else "examples"
            raise ValueError(f"{what} is empty; give at least one, by title")
        for title, model in models.items():
            if not (isinstance(model, nn.Module) and isinstance(model, Translator)):
                raise ValueError(
                    f"models[{title!r}] is a {type(model).__name__}; expected a translator: a "
                    "module with encode, start and step"
                )
        unknown = next((title for title in stored if title not in models), None)
        if unknown is not None:
            raise ValueError(f"stored names {unknown!r}, which is not among the models")
        for title, pair in examples.items():
            if not 0 < len(pair.source) <= LONGEST_SOURCE:
                raise ValueError(
                    f"example {title!r} has {len(pair.source)} words; expected 1 to "
                    f"{LONGEST_SOURCE}"
                )

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


def _files(name: str | None) -> dict[str, Any] | None:
    """What the site needs to find a stored model and to know that it is whole."""
    if name is None:
        return None
    return {"name": name, "files": runs.stored_files(name)}


def _pair(pair: Any) -> dict[str, Any]:
    """A sentence pair with its gold links, as cells (query, key) of a picture."""
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "sure": [list(link) for link in sorted(getattr(pair, "sure", ()))],
        "possible": [list(link) for link in sorted(getattr(pair, "possible", ()))],
    }


def _answer(found: Trace) -> dict[str, Any]:
    """A trace as the front end reads it; its attention travels apart."""
    return {
        "source": list(found.source),
        "steps": [
            {
                "token": step.token,
                "log_prob": round(step.log_prob, 6),
                "alternatives": [
                    [token, round(log_prob, 6)] for token, log_prob in step.alternatives
                ],
            }
            for step in found.steps
        ],
        "hypotheses": [[list(tokens), round(score, 6)] for tokens, score in found.hypotheses],
    }
