"""Widgets that a model answers: what is asked of it, and by whom it is heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import anywidget
import traitlets
from torch import nn

from seq2bert import runs
from seq2bert.tracing import LONGEST_SOURCE
from seq2bert.translator import Translator
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import bundle

Answer = tuple[dict[str, Any], list[bytes]]
"""What goes back for a question: a message, and numbers as buffers."""


class Asked(anywidget.AnyWidget):
    """A widget whose reader asks and whose kernel answers.

    A widget says in `kinds` what can be asked of it and which of its methods answers.
    """

    kinds: ClassVar[Mapping[str, str]] = {}
    """For each kind of question the name of the method that answers it."""
    who: ClassVar[str] = "the model"
    """Who answers, for messages about what went wrong."""

    def __init__(self, **state: Any) -> None:
        """Be ready to be asked."""
        super().__init__(**state)
        self.on_msg(self._hear)

    def ask(self, kind: str, question: Mapping[str, Any]) -> Answer:
        """What the front end gets for a question: a message and its buffers.

        Args:
            kind: of the question, one of `kinds`.
            question: ``source`` (words) and whatever else the method asks for.

        Returns:
            ``{"type": "answer", ...}`` with numbers as float32, or ``{"type": "refusal",
            "message": ...}`` when there is no answer, with the reason for the reader.
        """
        answer: Callable[[Mapping[str, Any]], Answer] = getattr(self, self.kinds[kind])
        try:
            message, buffers = answer(question)
        except ValueError as error:
            return {"type": "refusal", "message": str(error)}, []
        except Exception as error:  # a learner's code may raise anything: they shall read it
            reason = f"{self.who} raised {type(error).__name__}: {error}"
            return {"type": "refusal", "message": reason}, []
        return {"type": "answer"} | message, buffers

    def _hear(self, _: Any, message: Any, buffers: Any) -> None:
        """Answer a message of the front end; the same id goes back with the answer."""
        if not isinstance(message, dict):
            return
        kind = str(message.get("type"))
        if kind == "hello":
            self.send({"type": "hello", "id": message.get("id")})
        elif kind in self.kinds:
            answer, numbers = self.ask(kind, message.get("request") or {})
            self.send(answer | {"id": message.get("id")}, numbers)


class Answering(Asked):
    """A widget whose reader asks and whose models answer.

    In a notebook the models given here answer. On the site there is no kernel: there the models
    in `stored` answer, which are the same ones as ONNX graphs (`seq2bert.onnx_export`); a model
    that is not stored cannot be chosen there. For each of `kinds` the front end has a module in
    ``frontend/src/engines/browser/answers`` that answers the same.

    Args:
        models: translators by title; they are set to eval mode while they answer.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        state: further traits of the widget.

    Raises:
        ValueError: there is no model, something is no translator, or a title or a file is not
            known.
    """

    key = traitlets.Unicode().tag(sync=True)
    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    source_words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target_words = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        stored: Mapping[str, str] | None = None,
        **state: Any,
    ) -> None:
        """Hold the models, and be ready to be asked."""
        stored = stored or {}
        check_models(models, stored)
        self._models = list(models.values())
        self._vocabularies = source_vocabulary, target_vocabulary
        super().__init__(
            models=[{"title": title, "stored": _files(stored.get(title))} for title in models],
            source_words=list(source_vocabulary.tokens),
            target_words=list(target_vocabulary.tokens),
            **state,
        )

    @contextmanager
    def asked_model(self, question: Mapping[str, Any]) -> Iterator[Any]:
        """The model that a question names, in eval mode; afterwards it is as it was.

        Raises:
            ValueError: there is no such model.
        """
        index = question.get("model", 0)
        if index not in range(len(self._models)):
            raise ValueError(f"there is no model {index!r}; there are {len(self._models)}")
        model = self._models[index]
        training = [module for module in model.modules() if module.training]
        model.eval()
        try:
            yield model
        finally:
            for module in training:  # each as it was: some may have been in eval mode
                module.training = True


def asked_words(question: Mapping[str, Any]) -> list[str]:
    """The sentence of a question.

    Raises:
        ValueError: there is none, or one with more words than are read.
    """
    source = question.get("source")
    if not isinstance(source, list) or not source or not all(isinstance(w, str) for w in source):
        raise ValueError("there is no sentence: type some words")
    if len(source) > LONGEST_SOURCE:
        raise ValueError(f"{len(source)} words; at most {LONGEST_SOURCE} are read: shorten")
    return source


def asked_one_of(question: Mapping[str, Any], name: str, allowed: Sequence[int], usual: int) -> int:
    """A number of a question that must be one of some.

    Raises:
        ValueError: it is another one.
    """
    value = question.get(name, usual)
    if isinstance(value, bool) or value not in allowed:
        raise ValueError(f"the {name} is {value!r}; expected one of {tuple(allowed)}")
    return int(value)


def check_models(models: Mapping[str, nn.Module], stored: Mapping[str, str]) -> None:
    """Check what a widget is to be answered by.

    Raises:
        ValueError: as for `Answering`.
    """
    if not models:
        raise ValueError("models is empty; give at least one, by title")
    for title, model in models.items():
        if not (isinstance(model, nn.Module) and isinstance(model, Translator)):
            raise ValueError(
                f"models[{title!r}] is a {type(model).__name__}; expected a translator: a "
                "module with encode, start and step"
            )
    unknown = next((title for title in stored if title not in models), None)
    if unknown is not None:
        raise ValueError(f"stored names {unknown!r}, which is not among the models")


def check_sources(examples: Mapping[str, Any]) -> None:
    """Check the sentences that a widget begins with: sentence pairs by title.

    Raises:
        ValueError: there is none, or one of them has no word, or more than are read.
    """
    if not examples:
        raise ValueError("examples is empty; give at least one, by title")
    for title, pair in examples.items():
        if not 0 < len(pair.source) <= LONGEST_SOURCE:
            raise ValueError(
                f"example {title!r} has {len(pair.source)} words; expected 1 to {LONGEST_SOURCE}"
            )


def _files(name: str | None) -> dict[str, Any] | None:
    """What the site needs to find a stored model and to know that it is whole."""
    if name is None:
        return None
    return {"name": name, "files": runs.stored_files(name)}


def script(widget: str) -> str:
    """The module of a widget; where the front end is not built, one that draws nothing."""
    return bundle.script(widget) or "export default { render() {} }"
