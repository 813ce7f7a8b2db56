"""Widgets whose question is a sentence and whose answer is its translation with its attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, get_args

import numpy as np
import torch
from torch import Tensor, nn

from seq2bert import corpus
from seq2bert.attention_map import AttentionMap, Kind, axes_of
from seq2bert.tracing import Trace, trace
from seq2bert.translator import Interventions
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets.answering import Answer, Answering, asked_one_of, asked_words
from seq2bert.widgets.stored import encode_maps

WIDTHS = (1, 2, 4, 8)
"""Widths of the beam that the reader may choose; 1 is greedy search."""

Gold = Callable[[Sequence[str]], corpus.Pair]


class Translating(Answering):
    """A widget that can be asked for the translation of a sentence by one of its models.

    Args:
        models: translators by title.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        stored: for titles of `models` the name of their weights and graphs in `book/runs`.
        gold: gives the pair of any sentence of the language, and raises ValueError for others.
        state: further traits of the widget.

    Raises:
        ValueError: as for `Answering`.
    """

    kinds: ClassVar[Mapping[str, str]] = {"translate": "answer"}

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        stored: Mapping[str, str] | None = None,
        gold: Gold | None = corpus.translate,
        **state: Any,
    ) -> None:
        """Hold the models and what knows the truth."""
        super().__init__(models, source_vocabulary, target_vocabulary, stored, **state)
        self._gold = gold

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """A translation and its cross-attention; no map of a translator that has none.

        Args:
            request: ``source`` (words) and, where they are not the usual ones, ``model`` (place
                in the list), ``prefix`` (words that the translation begins with), ``width`` of
                the beam, ``temperature``, ``scale`` of the energies and ``head_mask``.

        Raises:
            ValueError: the request cannot be answered.
        """
        found = self.trace(request)
        if "cross" not in found.attention:
            return {"answer": self.told(found), "map": None}, []
        (record,), weights = encode_maps({"": map_of(found)})
        return {"answer": self.told(found), "map": record}, [weights]

    def told(self, found: Trace) -> dict[str, Any]:
        """A trace as the front end reads it, with the truth about the sentence where it is known.

        Its attention travels apart.
        """
        answer = answer_of(found)
        if self._gold is not None:
            try:
                answer["gold"] = gold_of(self._gold(found.source))
            except Exception:
                # not a sentence of the language, or a learner's own function that failed: the
                # translation is shown all the same, without a truth
                answer["gold"] = None
        return answer

    def trace(self, request: Mapping[str, Any]) -> Trace:
        """The translation that a request asks for, with all that happened on the way.

        Raises:
            ValueError: the request cannot be answered.
        """
        source = asked_words(request)
        width = asked_one_of(request, "width", WIDTHS, 1)
        temperature, scale = (float(request.get(name, 1.0)) for name in ("temperature", "scale"))
        if not temperature > 0:
            raise ValueError(f"the temperature is {temperature}; expected more than 0")
        head_mask = asked_head_mask(request)
        with self.asked_model(request) as model:
            return trace(
                model,
                source,
                *self._vocabularies,
                prefix=request.get("prefix", []),
                width=width,
                interventions=Interventions(head_mask, scale=scale, temperature=temperature),
            )


def asked_head_mask(request: Mapping[str, Any]) -> dict[Kind, Tensor]:
    """The factors of the heads that a request names, by kind, each of the shape (layer, head).

    Raises:
        ValueError: there is no such kind, or the factors are no table of numbers.
    """
    given = request.get("head_mask") or {}
    unknown = [kind for kind in given if kind not in get_args(Kind)]
    if unknown:
        raise ValueError(f"there is no attention {unknown[0]!r}; expected one of {get_args(Kind)}")
    masks: dict[Kind, Tensor] = {}
    for kind, rows in given.items():
        try:
            masks[kind] = torch.tensor(rows, dtype=torch.float32)
        except (TypeError, ValueError):
            masks[kind] = torch.empty(0)
        if masks[kind].dim() != 2:
            raise ValueError(
                f"the factors of {kind!r} are {rows!r}; expected a list for each layer, with a "
                "number for each head"
            )
    return masks


def map_of(found: Trace, kind: Kind = "cross") -> AttentionMap:
    """The attention of every step; weights of a sigmoid are said not to sum to 1."""
    weights = found.attention[kind].numpy()
    sums = weights.sum(axis=-1)
    normalised = bool(((np.abs(sums - 1) < 1e-2) | (sums == 0)).all())
    queries, keys = axes_of(kind, found.source, [step.token for step in found.steps])
    return AttentionMap(weights, queries, keys, kind, normalised=normalised)


def gold_of(pair: Any) -> dict[str, Any]:
    """A sentence pair with its gold links, as cells (query, key) of a picture."""
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "sure": [list(link) for link in sorted(getattr(pair, "sure", ()))],
        "possible": [list(link) for link in sorted(getattr(pair, "possible", ()))],
    }


def answer_of(found: Trace) -> dict[str, Any]:
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
