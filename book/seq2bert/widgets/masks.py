"""Which query may attend to which key, and what comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anywidget
import torch
import traitlets
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert import mask_picture as picture
from seq2bert.attention.distributions import masked_softmax
from seq2bert.positions import distances
from seq2bert.vocabulary import PAD
from seq2bert.widgets import bundle, resting
from seq2bert.widgets.answering import script
from seq2bert.word_numbers import SIZE, word_numbers

MOST_SENTENCES, MOST_WORDS = 4, 10
ENERGIES = ("from the words", "all the same")

SETTINGS: dict[str, list[str]] = {
    "two lengths": ["the queen sees a small bird", "it sings"],
    "one sentence": ["the old car stops here"],
    "four lengths": ["stop", "we sleep", "the bird sings", "the queen sees a red car now"],
    "an empty line among them": ["the dog sleeps", "", "a bird sings here"],
}


@dataclass(frozen=True)
class Outcome:
    """What a batch gives under its mask.

    Attributes:
        mask: shape (sentence, query, key), True where the query may attend.
        energies: shape (sentence, query, key).
        weights: shape (sentence, query, key).
        output: shape (sentence, query, feature).
    """

    mask: Tensor
    energies: Tensor
    weights: Tensor
    output: Tensor


class MaskExplorer(anywidget.AnyWidget):
    """Sentences of different lengths in one batch, the mask, and the weights and outputs under it.

    Query, key and value of a word are numbers that follow from its letters
    (`seq2bert.word_numbers`). A click on a cell allows or forbids it by hand. The leak test
    changes the last word: rows of the output that may not look at it stay as they are, to the bit.

    `sentences`, `sentence` (which one is shown), `padding`, `causal`, `window`, `energy`,
    `switched` and `changed` are what is shown at the moment; set them from Python, or read what
    the reader chose.

    Args:
        sentences: one to four, of up to ten words each, with blanks between them; a sentence may
            be empty, but not all.
        padding: no query may attend to the padding.
        causal: no query may attend to keys on its right.
        window: how far away a key may stand; 0 for any distance.
        energy: one of `ENERGIES`.

    Raises:
        ValueError: there are too many or no sentences or words, the window is negative, or the
            energy is not known.
    """

    _esm = script("masks")
    _css = bundle.styles("masks")

    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    padding = traitlets.Bool(True).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    window = traitlets.Int(0).tag(sync=True)
    energy = traitlets.Unicode(ENERGIES[0]).tag(sync=True)
    switched = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    changed = traitlets.Bool(False).tag(sync=True)
    settings = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(
        self,
        sentences: Sequence[str] | None = None,
        padding: bool = True,
        causal: bool = False,
        window: int = 0,
        energy: str = ENERGIES[0],
    ) -> None:
        """Show a batch; the first setting of `SETTINGS` when it is left out."""
        usual = next(iter(SETTINGS.values()))
        super().__init__(
            sentences=list(usual if sentences is None else sentences),
            padding=padding,
            causal=causal,
            window=window,
            energy=energy,
            settings=[
                {"title": title, "sentences": sentences} for title, sentences in SETTINGS.items()
            ],
        )
        # the shortest that has words: there is padding to look at
        lengths = [len(words.split()) or MOST_WORDS for words in self.sentences]
        self.sentence = lengths.index(min(lengths))

    @property
    def batch(self) -> tuple[tuple[str, ...], ...]:
        """The words of the sentences, filled up to the same length; the change is made."""
        return self._batch(self.changed)

    @property
    def mask(self) -> Bool[Tensor, "sentence query key"]:
        """True where a query may attend to a key."""
        return self._mask(self.batch)

    @property
    def weights(self) -> Float[Tensor, "sentence query key"]:
        """The weights under the mask: exactly 0 where it forbids."""
        return self._outcome(self.batch).weights

    @property
    def output(self) -> Float[Tensor, "sentence query number"]:
        """What each row reads: the weighted sum of the values."""
        return self._outcome(self.batch).output

    @property
    def moved(self) -> Float[Tensor, "query"]:
        """How far each output of the sentence moves when its last word changes; 0: not at all."""
        before, after = (self._outcome(self._batch(changed)).output for changed in (False, True))
        return (after - before)[self.sentence].abs().amax(dim=-1)

    def _batch(self, changed: bool) -> tuple[tuple[str, ...], ...]:
        rows = [words.split() for words in self.sentences]
        if changed and rows[self.sentence]:
            rows[self.sentence][-1] = other_word(rows[self.sentence][-1])
        longest = max(map(len, rows))
        return tuple((*row, *[PAD] * (longest - len(row))) for row in rows)

    def _mask(self, batch: tuple[tuple[str, ...], ...]) -> Tensor:
        apart = distances(len(batch[0]), len(batch[0]))
        mask = torch.ones(len(batch), *apart.shape, dtype=torch.bool)
        if self.padding:
            real = torch.tensor([[word != PAD for word in words] for words in batch])
            mask = mask & rearrange(real, "s k -> s 1 k")
        if self.causal:
            mask = mask & (apart <= 0)
        if self.window:
            mask = mask & (apart.abs() <= self.window)
        for sentence, query, key in self.switched:
            mask[sentence, query, key] ^= True
        return mask

    def _outcome(self, batch: tuple[tuple[str, ...], ...]) -> Outcome:
        query, key, value = (
            torch.stack([word_numbers(words, role) for words in batch])
            for role in ("query", "key", "value")
        )
        energies = einsum(query, key, "s q d, s k d -> s q k") / SIZE**0.5
        if self.energy == ENERGIES[1]:
            energies = torch.zeros_like(energies)
        mask = self._mask(batch)
        weights = masked_softmax(energies, mask)
        return Outcome(mask, energies, weights, einsum(weights, value, "s q k, s k d -> s q d"))

    @traitlets.validate("sentences")
    def _check_sentences(self, proposal: dict[str, Any]) -> list[str]:
        sentences: list[str] = proposal["value"]
        if not 1 <= len(sentences) <= MOST_SENTENCES:
            raise ValueError(f"{len(sentences)} sentences; expected 1 to {MOST_SENTENCES}")
        lengths = [len(words.split()) for words in sentences]
        if max(lengths) > MOST_WORDS:
            raise ValueError(f"{max(lengths)} words in a sentence; at most {MOST_WORDS}: shorten")
        if max(lengths) == 0:
            raise ValueError("no sentence has a word; expected at least one that has")
        return sentences

    @traitlets.validate("sentence")
    def _check_sentence(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] < len(self.sentences):
            there = f"there are {len(self.sentences)}, counted from 0"
            raise ValueError(f"sentence is {proposal['value']}; {there}")
        return int(proposal["value"])

    @traitlets.validate("window")
    def _check_window(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] <= MOST_WORDS:
            raise ValueError(f"window is {proposal['value']}; expected 0 to {MOST_WORDS}")
        return int(proposal["value"])

    @traitlets.validate("energy")
    def _check_energy(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in ENERGIES:
            raise ValueError(f"energy is {proposal['value']!r}; expected one of {ENERGIES}")
        return str(proposal["value"])

    @traitlets.validate("switched")
    def _check_switched(self, proposal: dict[str, Any]) -> list[list[int]]:
        words = max(len(words.split()) for words in self.sentences)
        sizes = (len(self.sentences), words, words)
        for cell in proposal["value"]:
            if len(cell) != 3 or not all(0 <= at < n for at, n in zip(cell, sizes, strict=True)):
                raise ValueError(
                    f"switched holds {cell}; expected [sentence, query, key], counted from 0, "
                    f"below {sizes}"
                )
        return list(proposal["value"])

    @traitlets.observe("sentences")
    def _forget(self, _: Any) -> None:
        """Other sentences: what was switched by hand no longer means anything."""
        self.switched = []
        self.changed = False
        self.sentence = min(self.sentence, len(self.sentences) - 1)

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        masks = [name for name in ("padding", "causal") if getattr(self, name)]
        masks += [f"window {self.window}"] if self.window else []
        return f"MaskExplorer({len(self.sentences)} sentences, {', '.join(masks) or 'no mask'})"

    def _leak(self) -> str:
        """What the change of the last word shows."""
        words = self.sentences[self.sentence].split()
        if not words:
            return "This sentence has no last word to change."
        if not self.changed:
            return "Change the last word, and see which rows of the output change with it."
        return leak_says(words[-1], self.moved[: len(words)].tolist())

    def _scene(self) -> picture.Scene:
        """What is shown, for the still picture."""
        batch = self.batch
        outcome = self._outcome(batch)
        at = self.sentence
        return picture.Scene(
            batch,
            at,
            outcome.mask[at].tolist(),
            frozenset((q, k) for sentence, q, k in self.switched if sentence == at),
            outcome.weights[at].tolist(),
            outcome.output[at].tolist(),
            self.moved.tolist() if self.changed else None,
            self._leak(),
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it pictures and tables for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("masks") else None
        scene = self._scene()
        ticks = (
            f'<label class="s2b-tick"><input type="checkbox" disabled=""/>{name} mask</label>'
            for name in ("padding", "causal")
        )
        bars = (
            resting.bar(resting.choice("Batch", list(SETTINGS))),
            resting.bar(
                *ticks,
                resting.slider("Window", str(self.window) if self.window else "none"),
                resting.choice("Energies", ENERGIES),
            ),
            resting.bar(
                resting.button("Change the last word"), resting.button("Undo what was by hand")
            ),
        )
        page = picture.figure_html(scene, bars, INVITATION)
        return bundle.beside(live, repr(self), picture.mask_svg(scene), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


INVITATION = "Point at a cell, or move with the arrow keys; Enter or a click allows or forbids it."


def other_word(word: str) -> str:
    """What the last word is changed to."""
    return "nothing" if word == "something" else "something"


def leak_says(last: str, moved: Sequence[float]) -> str:
    """Which rows of the words changed with the last one.

    Args:
        last: the word before the change.
        moved: how far the output of each word moved.
    """
    told = f"“{last}” became “{other_word(last)}”"
    rows = [str(at) for at, far in enumerate(moved, start=1) if far]
    if not rows:
        return f"{told}: no row of a word changes."
    if rows == [str(len(moved))]:
        return f"{told}: of {len(moved)} words only row {rows[0]}, the last, changes. No leak."
    several = f"{', '.join(rows[:-1])} and {rows[-1]} change" if rows[1:] else f"{rows[0]} changes"
    return (
        f"{told}: row{'s' if rows[1:] else ''} {several}. Rows before the last see a word on their "
        "right: an encoder may, a decoder must not."
    )
