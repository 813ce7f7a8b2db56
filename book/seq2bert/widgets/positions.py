"""Five ways to say where a word stands, and what each of them knows of distance."""

from collections.abc import Sequence
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from seq2bert import position_picture as picture
from seq2bert import position_words as words
from seq2bert.positions import LearnedPositions, RelativeBias, alibi, distances, rotary, sinusoidal
from seq2bert.widgets import bundle, resting
from seq2bert.widgets.answering import script

MOST_PLACES, MOST_WIDTH, MOST_TRAINED = 32, 64, 512
FURTHEST, HEADS = 8, 8
BASES = (10, 100, 1000, 10000, 100000)

SCHEMES: dict[str, tuple[str, str, str, str, str]] = {
    "sinusoidal": (
        "feature 2i: sin(p / base^(2i / width)), feature 2i + 1: the cosine; added to the word",
        "Vector of each place",
        "place",
        "place",
        "Dot product of two places",
    ),
    "learned": (
        "a vector for each place, learned like a word's{numbers}; added to the word",
        "Vector of each place",
        "place",
        "place",
        "Dot product of two places",
    ),
    "relative": (
        "a learned number for each distance, up to the furthest{numbers}; added to the energy",
        "No vectors",
        "query",
        "key",
        "What is added to the energy",
    ),
    "rotary": (
        "query and key are turned: each pair of features by p / base^(2i / width)",
        "One query, turned to each place",
        "query",
        "key",
        "Energy of one query and one key, turned",
    ),
    "ALiBi": (
        "\N{MINUS SIGN}slope · |j \N{MINUS SIGN} i|, nothing is learned; added to the energy",
        "No vectors",
        "query",
        "key",
        "What is added to the energy",
    ),
}
"""For each scheme its formula, what its vectors are, what rows and columns are, what a score is."""


class PositionExplorer(anywidget.AnyWidget):
    """What a scheme of positions looks like, and what it knows of distance.

    One picture has the vectors (place by feature), one has what each pair of places gets: the dot
    product of their vectors; for rotary positions the energy of one query and one key, turned to
    both places; for relative positions and ALiBi the number that is added to the energy. A third
    draws a row of it against distance.

    `scheme`, `width`, `length`, `base`, `head`, `furthest`, `row` and `column` are what is shown
    at the moment; set them from Python, or read what the reader chose. Numbers that a model would
    have learned are random ones, the same at each start, unless they are handed in.

    Args:
        scheme: one of `SCHEMES`.
        width: of the vectors, 1 to 64; rotary positions need an even one.
        length: how many places, 2 to 32.
        base: of sinusoidal and rotary positions, above 1.
        head: of ALiBi, 1 to 8.
        furthest: of relative positions, 1 to 8.
        table: vectors of a trained model, for the scheme ``learned``: at least two places.
        bias: numbers of a trained model, for the scheme ``relative``: for the distances from the
            furthest on the left to the furthest on the right, so an odd number of them.

    Raises:
        ValueError: a number is out of bounds, the scheme is not known, the table or the bias has
            no shape that can be shown.
    """

    _esm = script("positions")
    _css = bundle.styles("positions")

    scheme = traitlets.Unicode("sinusoidal").tag(sync=True)
    width = traitlets.Int(16).tag(sync=True)
    length = traitlets.Int(16).tag(sync=True)
    base = traitlets.Float(10000.0).tag(sync=True)
    head = traitlets.Int(2).tag(sync=True)
    furthest = traitlets.Int(4).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    column = traitlets.Int(0).tag(sync=True)
    parameters = traitlets.Dict().tag(sync=True)
    schemes = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(
        self,
        scheme: str = "sinusoidal",
        width: int = 16,
        length: int = 16,
        base: float | int = 10000.0,
        head: int = 2,
        furthest: int = 4,
        table: Tensor | Sequence[Sequence[float]] | None = None,
        bias: Tensor | Sequence[float] | None = None,
    ) -> None:
        """Show a scheme; the row in the middle and its neighbour are chosen."""
        parameters = _random() | {"trained": [], "slopes": _slopes()}
        if table is not None:
            parameters["table"] = _checked_table(table)
            parameters["trained"].append("table")
        if bias is not None:
            parameters["bias"] = _checked_bias(bias)
            parameters["trained"].append("bias")
            furthest = len(parameters["bias"]) // 2
        names = ("formula", "heading", "asks", "looked_at", "measure")
        given = {"learned": table is not None, "relative": bias is not None}
        super().__init__(
            parameters=parameters,
            schemes=[
                dict(zip(names, (_told(texts[0], given.get(name)), *texts[1:]), strict=True))
                | {"name": name}
                for name, texts in SCHEMES.items()
            ],
            scheme=scheme,
            width=width,
            length=length,
            base=float(base),
            head=head,
            furthest=furthest,
            row=length // 2,
            column=length // 2 - 1,
        )

    @property
    def places(self) -> int:
        """How many places are shown: as many as asked for, or as many as were learned."""
        if self.scheme == "learned":
            return min(self.length, len(self.parameters["table"]))
        return self.length

    @property
    def vectors(self) -> Float[Tensor, "place feature"] | None:
        """The vector of each place; for rotary positions the query, turned; None without any."""
        if self.scheme == "sinusoidal":
            return sinusoidal(self.places, self.width, self.base)
        if self.scheme == "learned":
            return self._learned()
        return self._turned("query") if self.scheme == "rotary" else None

    @property
    def scores(self) -> Float[Tensor, "row column"]:
        """What each pair of places gets."""
        if self.scheme == "relative":
            return self._relative()
        if self.scheme == "ALiBi":
            return alibi(HEADS, self.length, self.length)[self.head - 1]
        vectors = self.vectors
        assert vectors is not None
        return vectors @ (self._turned("key") if self.scheme == "rotary" else vectors).T

    @torch.no_grad()
    def _learned(self) -> Tensor:
        table = torch.tensor(self.parameters["table"])
        if "table" not in self.parameters["trained"]:
            table = table[:, : self.width]
        positions = LearnedPositions(*table.shape).to(table.dtype)
        positions.vectors.weight.copy_(table)
        vectors: Tensor = positions(self.places)
        return vectors

    @torch.no_grad()
    def _relative(self) -> Tensor:
        numbers = torch.tensor(self.parameters["bias"])
        middle = len(numbers) // 2
        relative = RelativeBias(1, self.furthest).to(numbers.dtype)
        relative.bias.copy_(numbers[middle - self.furthest : middle + self.furthest + 1])
        bias: Tensor = relative(self.length, self.length)
        return bias[0]

    def _turned(self, which: str) -> Tensor:
        vector = torch.tensor(self.parameters[which][: self.width])
        return rotary(vector.expand(self.length, -1), base=self.base)

    @traitlets.validate("scheme")
    def _check_scheme(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in SCHEMES:
            known = ", ".join(SCHEMES)
            raise ValueError(f"scheme is {proposal['value']!r}; expected one of {known}")
        return str(proposal["value"])

    @traitlets.validate("width", "length", "head", "furthest")
    def _check_number(self, proposal: dict[str, Any]) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        least, most = self._bounds()[name]
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}; expected {least} to {most}")
        return int(value)

    def _bounds(self) -> dict[str, tuple[int, int]]:
        furthest = len(self.parameters["bias"]) // 2 if self.parameters else FURTHEST
        return {
            "width": (1, MOST_WIDTH),
            "length": (2, MOST_PLACES),
            "head": (1, HEADS),
            "furthest": (1, furthest),
        }

    @traitlets.validate("base")
    def _check_base(self, proposal: dict[str, Any]) -> float:
        if not 1 < proposal["value"] <= 1e9:
            raise ValueError(f"base is {proposal['value']}; expected a number above 1, at most 1e9")
        return float(proposal["value"])

    @traitlets.validate("row", "column")
    def _fit_place(self, proposal: dict[str, Any]) -> int:
        """A place that is not there becomes the nearest one."""
        return max(0, min(int(proposal["value"]), self.places - 1))

    @traitlets.observe("length", "scheme")
    def _keep_place(self, _: Any) -> None:
        """Fewer places: row and column stay among them."""
        self.row, self.column = (min(at, self.places - 1) for at in (self.row, self.column))

    @traitlets.observe("scheme", "width")
    def _keep_pairs(self, _: Any) -> None:
        """Rotary positions turn pairs of features: an odd width loses one."""
        if self.scheme == "rotary" and self.width % 2:
            self.width = max(2, self.width - 1)

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        return f"PositionExplorer({self.scheme}, {self.places} places)"

    def _scene(self) -> picture.Scene:
        """What is shown, for the still picture."""
        _, heading, asks, looked_at, measure = SCHEMES[self.scheme]
        vectors = self.vectors
        return picture.Scene(
            heading,
            asks,
            looked_at,
            measure,
            vectors.tolist() if vectors is not None else None,
            self.scores.tolist(),
            self.row,
            self.column,
        )

    def says(self, row: int, column: int) -> str:
        """What the picture of the scores says about a pair of places."""
        scores = self.scores.tolist()
        value = words.number(scores[row][column], words.largest(scores))
        apart = words.away(int(distances(self.places, self.places)[row, column]))
        if self.scheme in ("sinusoidal", "learned"):
            return f"Places {row} and {column}, {apart}: dot product {value}."
        pair = f"Query at place {row}, key at place {column}, {apart}"
        if self.scheme == "rotary":
            return f"{pair}: energy {value}."
        return f"{pair}: {value} is added to the energy."

    def _bars(self) -> tuple[str, str]:
        """The room of the live widget's controls: only those that the scheme has."""
        first = [resting.choice("Scheme", list(SCHEMES))]
        if self.scheme in ("sinusoidal", "rotary"):
            first.append(resting.slider("Base", f"{self.base:g}"))
        if self.scheme == "ALiBi":
            first.append(resting.slider("Head", f"{self.head} of {HEADS}"))
        if self.scheme == "relative" and "bias" not in self.parameters["trained"]:
            first.append(resting.slider("Furthest", str(self.furthest)))
        second = [resting.slider("Places", str(self.length))]
        if self._has_width():
            second.append(resting.slider("Width", str(self.width)))
        return resting.bar(*first), resting.bar(*second)

    def _has_width(self) -> bool:
        if self.scheme == "learned":
            return "table" not in self.parameters["trained"]
        return self.scheme in ("sinusoidal", "rotary")

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it pictures and tables for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("positions") else None
        scene = self._scene()
        said = self.says(self.row, self.column)
        formula = next(one["formula"] for one in self.schemes if one["name"] == self.scheme)
        page = picture.figure_html(scene, formula, self._bars(), said)
        return bundle.beside(live, repr(self), picture.pictures_svg(scene), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _told(formula: str, given: bool | None) -> str:
    """The formula, which says where numbers that a model learns come from."""
    return formula.format(numbers=" (here a trained model's)" if given else " (here random ones)")


def _random() -> dict[str, Any]:
    """What a model would learn, before it has: random numbers of two digits."""
    draw = torch.Generator().manual_seed(0)

    def numbers(*shape: int) -> Any:
        return torch.randn(*shape, generator=draw, dtype=torch.float64).mul(100).round().div(100)

    return {
        "table": numbers(MOST_PLACES, MOST_WIDTH).tolist(),
        "bias": numbers(2 * FURTHEST + 1).tolist(),
        "query": numbers(MOST_WIDTH).tolist(),
        "key": numbers(MOST_WIDTH).tolist(),
    }


def _slopes() -> list[float]:
    """ALiBi's slope of each head, read off the number that it adds one place away."""
    return [-float(bias) for bias in alibi(HEADS, 1, 2)[:, 0, 1]]


def _checked_table(table: Tensor | Sequence[Sequence[float]]) -> list[list[float]]:
    vectors = torch.as_tensor(table, dtype=torch.float64).detach().cpu()
    if vectors.ndim != 2 or len(vectors) < 2 or not 1 <= vectors.shape[1] <= MOST_TRAINED:
        raise ValueError(
            f"table has the shape {tuple(vectors.shape)}; expected (place, feature), at least 2 "
            f"places and at most {MOST_TRAINED} features"
        )
    if not vectors.isfinite().all():
        raise ValueError("table holds NaN or infinity; expected the vectors of a trained model")
    return [[float(f"{one:.4g}") for one in row] for row in vectors[:MOST_PLACES].tolist()]


def _checked_bias(bias: Tensor | Sequence[float]) -> list[float]:
    numbers = torch.as_tensor(bias, dtype=torch.float64).detach().cpu()
    if numbers.ndim != 1 or len(numbers) < 3 or len(numbers) % 2 == 0:
        raise ValueError(
            f"bias has the shape {tuple(numbers.shape)}; expected one head's numbers for the "
            "distances -k to k: an odd number of them, at least 3"
        )
    if not numbers.isfinite().all():
        raise ValueError("bias holds NaN or infinity; expected the numbers of a trained model")
    return [float(f"{one:.4g}") for one in numbers.tolist()]
