"""The colours of the book: one ramp for weights, one reserved colour for each role.

This is the one definition. The style sheet of the widgets (`book/frontend/src/shared/ramp.css`)
is written from it (`python -m seq2bert.palette`), the static pictures and matplotlib read it, and
a test fails when they part.

The ramp is a path through the OKLab colour space (Ottosson 2020) on which equal steps of weight
are equal distances, so that 0.2 differs from 0.3 as visibly as 0.8 from 0.9. Lightness alone
carries the order; hue only helps. Weight 0 is the paper, in the light theme and in the dark one.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

Theme = Literal["light", "dark"]
Point = tuple[float, float, float]

LEVELS = 101
"""Weights are painted in whole hundredths: the precision that a readout prints."""

ROLES: dict[str, dict[Theme, str]] = {
    # the first of each pair is Okabe and Ito's colour (2008); the second is lighter, for dark paper
    "query": {"light": "#0072b2", "dark": "#4fa9e8"},
    "key": {"light": "#d55e00", "dark": "#f4914a"},
    "value": {"light": "#009e73", "dark": "#2fc59b"},
    # an outline that stands out on every level of the ramp
    "gold": {"light": "#b87f00", "dark": "#f2b01e"},
    "paper": {"light": "#ffffff", "dark": "#15171c"},
    "ink": {"light": "#1f1d29", "dark": "#eceaf2"},
    "muted": {"light": "#5f5b6b", "dark": "#a9a5b6"},
    "line": {"light": "#dcd9e3", "dark": "#383a44"},
}
"""Colour of each role in each theme. Query, key and value look the same in all pictures."""

CATEGORIES = ("query", "key", "value", "purple", "sky", "grey")
"""Order in which series of a chart take their colours; after the roles come three others."""

OTHERS: dict[str, dict[Theme, str]] = {
    "purple": {"light": "#a3528b", "dark": "#d98cc4"},
    "sky": {"light": "#3d9cc9", "dark": "#8fd3f2"},
    "grey": {"light": "#77737f", "dark": "#b5b1bd"},
}

# (lightness, chroma, hue in degrees) at equal spacing; the ramp runs smoothly through them
_STOPS: dict[Theme, tuple[Point, ...]] = {
    "light": (
        (0.900, 0.050, 300.0),
        (0.760, 0.115, 300.0),
        (0.600, 0.165, 297.0),
        (0.440, 0.165, 292.0),
        (0.290, 0.110, 288.0),
    ),
    "dark": (
        (0.330, 0.070, 290.0),
        (0.460, 0.120, 293.0),
        (0.620, 0.145, 298.0),
        (0.790, 0.105, 305.0),
        (0.940, 0.035, 310.0),
    ),
}


# the other side of a scale around 0: as light at every step, but green
_NEGATIVE_STOPS: dict[Theme, tuple[Point, ...]] = {
    "light": (
        (0.900, 0.050, 160.0),
        (0.760, 0.090, 162.0),
        (0.600, 0.105, 164.0),
        (0.440, 0.085, 166.0),
        (0.290, 0.055, 168.0),
    ),
    "dark": (
        (0.330, 0.050, 166.0),
        (0.460, 0.080, 164.0),
        (0.620, 0.105, 162.0),
        (0.790, 0.090, 160.0),
        (0.940, 0.035, 158.0),
    ),
}

SIGNED_STEP = 5
"""Numbers from -1 to 1 are painted in steps of so many levels: they are many, and small."""


def ramp(weight: float, theme: Theme = "light") -> str:
    """The colour of a weight, as ``#rrggbb``.

    Raises:
        ValueError: the weight is not in [0, 1], or the theme is unknown.
    """
    return levels(theme)[level(weight)]


def level(weight: float) -> int:
    """The level of the ramp, 0 to 100, on which a weight is painted: its rounded hundredths.

    Raises:
        ValueError: the weight is not in [0, 1] (a rounding error of 0.001 is let pass).
    """
    if not -1e-3 <= weight <= 1 + 1e-3:
        raise ValueError(f"weight is {weight!r}; the ramp paints 0 to 1: normalise the weights")
    return min(LEVELS - 1, max(0, math.floor(weight * (LEVELS - 1) + 0.5)))


def signed_class(value: float) -> str:
    """The class that paints a number from -1 to 1: ``s2b-w35`` for 0.35, ``s2b-n35`` for -0.35.

    Raises:
        ValueError: the number is not in [-1, 1] (a rounding error of 0.001 is let pass).
    """
    if not -1 - 1e-3 <= value <= 1 + 1e-3:
        raise ValueError(f"the number is {value!r}; a scale around 0 paints -1 to 1")
    steps = (LEVELS - 1) // SIGNED_STEP
    size = min(steps, math.floor(abs(value) * steps + 0.5)) * SIGNED_STEP
    return f"s2b-{'n' if value < 0 and size else 'w'}{size}"


def signed(value: float, theme: Theme = "light") -> str:
    """The colour of a number from -1 to 1: that of the ramp above 0, green below it.

    Raises:
        ValueError: the number is not in [-1, 1], or the theme is unknown.
    """
    name = signed_class(value).removeprefix("s2b-")
    colours = levels(theme) if name.startswith("w") else negative_levels(theme)
    return colours[int(name[1:])]


@cache
def levels(theme: Theme = "light") -> tuple[str, ...]:
    """All colours of the ramp, from weight 0 to weight 1.

    Raises:
        ValueError: the theme is unknown.
    """
    return _spaced(theme, _STOPS)


@cache
def negative_levels(theme: Theme = "light") -> tuple[str, ...]:
    """All colours of the other side of a scale around 0, from 0 to -1.

    Raises:
        ValueError: the theme is unknown.
    """
    return _spaced(theme, _NEGATIVE_STOPS)


def _spaced(theme: Theme, stops: dict[Theme, tuple[Point, ...]]) -> tuple[str, ...]:
    """Colours at equal distances along a path from the paper through some stops."""
    if theme not in get_args(Theme):
        raise ValueError(f"theme is {theme!r}; expected 'light' or 'dark'")
    path = _path(theme, stops[theme])
    travelled = [0.0]
    for before, after in pairwise(path):
        travelled.append(travelled[-1] + math.dist(before, after))
    colours = []
    position = 0
    for step in range(LEVELS):
        wanted = travelled[-1] * step / (LEVELS - 1)
        while position < len(path) - 1 and travelled[position] < wanted - 1e-12:
            position += 1
        colours.append(_hex(_to_rgb(path[position])))
    return tuple(colours)


def colormap(theme: Theme = "light") -> ListedColormap:
    """The ramp for matplotlib: ``imshow(weights, cmap=colormap(), vmin=0, vmax=1)``."""
    from matplotlib.colors import ListedColormap

    return ListedColormap(levels(theme), name=f"seq2bert-{theme}")


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it, from 1 to 21."""
    darker, lighter = sorted(_luminance(colour) for colour in (first, second))
    return (lighter + 0.05) / (darker + 0.05)


def style_sheet() -> str:
    """The CSS of the ramp and of the roles: class ``s2b-w37`` paints a weight of 0.37.

    ``s2b-n35`` paints -0.35 on a scale around 0.

    `light-dark()` picks the colour of the theme; a browser that does not know it reads the line
    before and stays light.
    """
    roles = ROLES | OTHERS
    lines = [
        "/* Written by `python -m seq2bert.palette`: edit book/seq2bert/palette.py instead. */"
    ]
    lines.append(".s2b, .s2b-chart {")
    lines += [f"  --_{name}: var(--s2b-{name}, {pair['light']});" for name, pair in roles.items()]
    lines += ["}", "@supports (color: light-dark(white, black)) {", "  .s2b, .s2b-chart {"]
    lines += [
        f"    --_{name}: var(--s2b-{name}, light-dark({pair['light']}, {pair['dark']}));"
        for name, pair in roles.items()
    ]
    lines += ["  }", "}"]
    for number, (light, dark) in enumerate(zip(levels("light"), levels("dark"), strict=True)):
        both = f"light-dark({light}, {dark})"
        lines.append(f".s2b-w{number} {{ fill: {light}; fill: {both}; }}")
    for number in range(SIGNED_STEP, LEVELS, SIGNED_STEP):
        light, dark = negative_levels("light")[number], negative_levels("dark")[number]
        both = f"light-dark({light}, {dark})"
        lines.append(f".s2b-n{number} {{ fill: {light}; fill: {both}; }}")
    lines.append(
        "/* A chart names the light colour of a role: it is repainted in the theme's own. */"
    )
    for name, pair in roles.items():
        for paint in ("fill", "stroke"):
            mark = f'.s2b-chart svg [{paint}="{pair["light"]}"]'
            lines.append(f"{mark} {{ {paint}: var(--_{name}); }}")
    return "\n".join(lines) + "\n"


def _path(theme: Theme, through: tuple[Point, ...]) -> tuple[Point, ...]:
    """A ramp as 4,000 close points of OKLab, from the paper to the last stop."""
    stops = [_to_oklab(ROLES["paper"][theme])]
    for lightness, chroma, hue in through:
        angle = math.radians(hue)
        stops.append((lightness, chroma * math.cos(angle), chroma * math.sin(angle)))
    pieces = len(stops) - 1
    points = []
    for index in range(4001):
        at = min(index * pieces / 4000, pieces - 1e-9)
        piece = int(at)
        points.append(_catmull_rom(stops, piece, at - piece))
    return tuple(points)


def _catmull_rom(stops: list[Point], piece: int, t: float) -> Point:
    """The smooth curve through the stops, between stop `piece` and the next (0 <= t <= 1)."""
    before, start, end, after = (
        stops[min(max(index, 0), len(stops) - 1)] for index in range(piece - 1, piece + 3)
    )

    def along(axis: int) -> float:
        p0, p1, p2, p3 = before[axis], start[axis], end[axis], after[axis]
        return 0.5 * (
            2 * p1
            + (p2 - p0) * t
            + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2
            + (3 * p1 - p0 - 3 * p2 + p3) * t**3
        )

    return along(0), along(1), along(2)


def _channels(colour: str) -> Point:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _luminance(colour: str) -> float:
    red, green, blue = _channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _to_oklab(colour: str) -> Point:
    red, green, blue = _channels(colour)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _to_rgb(point: Point) -> Point:
    lightness, a, b = point
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _hex(linear: Point) -> str:
    encoded = []
    for channel in linear:
        clipped = min(1.0, max(0.0, channel))
        curved = 12.92 * clipped if clipped <= 0.0031308 else 1.055 * clipped ** (1 / 2.4) - 0.055
        encoded.append(round(curved * 255))
    return "#{:02x}{:02x}{:02x}".format(*encoded)


if __name__ == "__main__":
    from pathlib import Path

    sheet = Path(__file__).parents[1] / "frontend/src/shared/ramp.css"
    sheet.write_text(style_sheet(), encoding="utf-8")
    print(f"{sheet}: {LEVELS} levels")
