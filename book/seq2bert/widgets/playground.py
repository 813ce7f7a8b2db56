"""Query and keys in the plane, every energy and every distribution: the playground."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from seq2bert import plane_picture
from seq2bert.attention import energies
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.plane_picture import signed
from seq2bert.widgets import bundle, resting
from seq2bert.widgets.answering import script

Vector = tuple[float, float]
Setting = tuple[Vector, Sequence[Vector]]

MOST_KEYS = 6
REACH = plane_picture.REACH
_SHADES = 24  # in a row of the live picture

DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}

PARAMETERS: dict[str, Any] = {
    "matrix": [[0.0, 1.0], [-1.0, 0.0]],  # a quarter turn
    "bias": [0.0, 1.0],
    "offset": -1.0,
    "vector": [1.0, 1.0],
    "concat": [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]],
    "layers": [
        {
            "weight": [[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0], [1.0, 0.0, 0.0, 1.0]],
            "bias": [0.0, 0.0, -0.5],
        },
        {"weight": [[2.0, 2.0, 0.0], [-2.0, 2.0, 1.0], [0.0, 1.0, -2.0]], "bias": [0.5, -0.5, 0.0]},
    ],
    "deep": [1.5, -1.0, 1.0],
    # the places one to six, each asked for from its own direction
    "places": [[1.0, 0.0], [0.5, 0.87], [-0.5, 0.87], [-1.0, 0.0], [-0.5, -0.87], [0.5, -0.87]],
}
"""The numbers of those energies that have parameters: small ones, to be seen at work."""

SETTINGS: dict[str, Setting] = {
    "three directions": ((1.5, 0.5), [(1.0, 1.0), (-1.0, 1.2), (0.4, -1.5)]),
    "a short and a long key": ((1.2, 0.4), [(0.8, 0.2), (2.6, 1.4), (-1.0, 0.5)]),
    "two keys alike": ((0.5, 1.5), [(1.0, 1.0), (1.1, 1.0), (-1.5, 0.2), (0.5, -1.5)]),
    "a key where the query is": ((1.0, 0.5), [(1.0, 0.5), (2.0, 1.0), (0.5, 0.25)]),
}


def _tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


_MATRIX, _BIAS, _OFFSET = (_tensor(PARAMETERS[name]) for name in ("matrix", "bias", "offset"))

ENERGIES: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], str]] = {
    "dot": (energies.dot_energy, "e = q · k"),
    "scaled dot": (energies.scaled_dot_energy, "e = q · k / √2"),
    "cosine": (energies.cosine_energy, "e = q · k / (|q| |k|)"),
    "distance": (energies.distance_energy, "e = \u2212|q \u2212 k|² / 2"),
    "general": (
        lambda q, k: energies.general_energy(q, k, _MATRIX),
        "e = q W k, W a quarter turn",
    ),
    "biased general": (
        lambda q, k: energies.biased_general_energy(q, k, _MATRIX, _BIAS),
        "e = (q W + b) · k, W a quarter turn, b = (0, 1)",
    ),
    "activated general, tanh": (
        lambda q, k: energies.activated_general_energy(q, k, _MATRIX, _OFFSET),
        "e = tanh(q W k + b), W a quarter turn, b = \u22121",
    ),
    "activated general, ReLU": (
        lambda q, k: energies.activated_general_energy(q, k, _MATRIX, _OFFSET, torch.relu),
        "e = max(0, q W k + b), W a quarter turn, b = \u22121",
    ),
    "additive": (
        lambda q, k: energies.additive_energy(q, k, _tensor(PARAMETERS["vector"])),
        "e = v · tanh(q + k), v = (1, 1)",
    ),
    "concat": (
        lambda q, k: energies.concat_energy(
            q, k, _tensor(PARAMETERS["concat"]), _tensor(PARAMETERS["vector"])
        ),
        "e = v · tanh(W [q; k]), W adds q and k, v = (1, 1)",
    ),
    "deep": (
        lambda q, k: energies.deep_energy(
            q,
            k,
            [(_tensor(layer["weight"]), _tensor(layer["bias"])) for layer in PARAMETERS["layers"]],
            _tensor(PARAMETERS["deep"]),
        ),
        "e = v · tanh(W₂ tanh(W₁ [q; k] + b₁) + b₂)",
    ),
    "location": (
        lambda q, k: energies.location_energy(q, k, _tensor(PARAMETERS["places"])),
        "eⱼ = wⱼ · q, each place j has a direction wⱼ of its own",
    ),
}
"""What can be chosen: an energy and how it is written."""


class Playground(anywidget.AnyWidget):
    """A query and keys in the plane; the keys are the values too.

    Move the points by hand or with the arrow keys, choose energy and distribution, mask a key.
    `query`, `key_vectors`, `allowed`, `energy`, `distribution` and `scale` (of the energies) are
    what is shown at the moment; set them from Python, or read what the reader chose.

    Args:
        query: a point of the plane, both coordinates in [-3, 3].
        keys: one to six such points.
        energy: one of `ENERGIES`.
        distribution: ``softmax``, ``sparsemax`` or ``sigmoid``.
        scale: a factor for the energies.

    Raises:
        ValueError: a point lies outside the plane, there are too few or too many keys, or the
            energy or the distribution is not known.
    """

    _esm = script("playground")
    _css = bundle.styles("playground")

    query = traitlets.List(traitlets.Float()).tag(sync=True)
    key_vectors = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    allowed = traitlets.List(traitlets.Bool()).tag(sync=True)
    energy = traitlets.Unicode("dot").tag(sync=True)
    distribution = traitlets.Unicode("softmax").tag(sync=True)
    scale = traitlets.Float(1.0).tag(sync=True)
    parameters = traitlets.Dict().tag(sync=True)
    formulas = traitlets.List(traitlets.Unicode()).tag(sync=True)
    settings = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(
        self,
        query: Sequence[float] | None = None,
        keys: Sequence[Sequence[float]] | None = None,
        energy: str = "dot",
        distribution: str = "softmax",
        scale: float | int = 1.0,
    ) -> None:
        """Show a query and keys; the first setting of `SETTINGS` when they are left out."""
        usual_query, usual_keys = next(iter(SETTINGS.values()))
        query = usual_query if query is None else query
        keys = usual_keys if keys is None else keys
        super().__init__(
            query=[float(number) for number in query],
            key_vectors=[[float(number) for number in key] for key in keys],
            allowed=[True] * len(keys),
            energy=energy,
            distribution=distribution,
            scale=float(scale),
            parameters=PARAMETERS,
            formulas=[formula for _, formula in ENERGIES.values()],
            settings=[
                {"title": title, "query": list(point), "keys": [list(key) for key in points]}
                for title, (point, points) in SETTINGS.items()
            ],
        )

    @property
    def energies(self) -> Float[Tensor, "key"]:
        """The energy of each key, before `scale`."""
        return self._energies(_tensor(self.key_vectors))

    @property
    def weights(self) -> Float[Tensor, "key"]:
        """The weight of each key; 0 for one that is not allowed."""
        mask = torch.tensor([self.allowed])
        weights: Tensor = DISTRIBUTIONS[self.distribution](self.energies[None] * self.scale, mask)
        return weights[0]

    @property
    def context(self) -> Float[Tensor, "axis"]:
        """What the query reads: the weighted sum of the keys."""
        return self.weights @ _tensor(self.key_vectors)

    def _energies(self, keys: Tensor) -> Tensor:
        energy, _ = ENERGIES[self.energy]
        return energy(_tensor([self.query]), keys)[0]

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> list[float]:
        return _point("query", proposal["value"])

    @traitlets.validate("key_vectors")
    def _check_keys(self, proposal: dict[str, Any]) -> list[list[float]]:
        keys = proposal["value"]
        if not 1 <= len(keys) <= MOST_KEYS:
            raise ValueError(f"{len(keys)} keys; expected 1 to {MOST_KEYS}")
        return [_point(f"key {number}", key) for number, key in enumerate(keys, start=1)]

    @traitlets.observe("key_vectors")
    def _fit_allowed(self, _: Any) -> None:
        """A key that is new may be attended to."""
        missing = len(self.key_vectors) - len(self.allowed)
        if missing:
            self.allowed = (self.allowed + [True] * max(0, missing))[: len(self.key_vectors)]

    @traitlets.validate("energy")
    def _check_energy(self, proposal: dict[str, Any]) -> str:
        return _one_of("energy", proposal["value"], ENERGIES)

    @traitlets.validate("distribution")
    def _check_distribution(self, proposal: dict[str, Any]) -> str:
        return _one_of("distribution", proposal["value"], DISTRIBUTIONS)

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        return f"Playground({self.energy}, {self.distribution}, {len(self.key_vectors)} keys)"

    def _scene(self) -> plane_picture.Scene:
        """What is shown, for the still picture."""
        return plane_picture.Scene(
            tuple(self.query),
            tuple(tuple(key) for key in self.key_vectors),
            tuple(self.allowed),
            tuple(self.energies.tolist()),
            tuple(self.weights.tolist()),
            tuple(self.context.tolist()),
        )

    def _shade(self) -> str:
        """What the live widget says about its shade: the energies of a key all over the plane."""
        places = (torch.arange(_SHADES, dtype=torch.float64) + 0.5) / _SHADES * 2 * REACH - REACH
        keys = torch.cartesian_prod(places, places)[:, None]
        energy, _ = ENERGIES[self.energy]
        found = energy(_tensor([self.query]).expand(len(keys), 1, 2), keys)
        least, most = found.min().item(), found.max().item()
        spread = f"from {signed(least, 1)} to {signed(most, 1)}"
        if most - least < 1e-9:
            spread = f"the same everywhere, {signed(most, 1)}"
        return f"shade: the energy of a key that stood there, {spread}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("playground") else None
        scene, formula = self._scene(), ENERGIES[self.energy][1]
        which = resting.bar(
            resting.choice("Energy", list(ENERGIES)),
            resting.choice("Distribution", list(DISTRIBUTIONS)),
            resting.slider("Energies \u00d7", f"{self.scale:g}"),
        )
        keys = resting.bar(
            resting.choice("Keys", list(SETTINGS)),
            resting.button("Add a key"),
            resting.button("Take one away"),
        )
        page = plane_picture.figure_html(scene, formula, (which, keys), self._shade())
        return bundle.beside(live, repr(self), plane_picture.plane_svg(scene), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def _point(name: str, value: Sequence[float]) -> list[float]:
    if len(value) != 2 or not all(abs(number) <= REACH for number in value):
        raise ValueError(f"{name} is {value}; expected two numbers between -{REACH} and {REACH}")
    return list(value)


def _one_of(name: str, value: str, known: Mapping[str, Any]) -> str:
    if value not in known:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(known)}")
    return value
