"""Static pictures of a query and keys in the plane: an SVG, and a table."""

from __future__ import annotations

from dataclasses import dataclass

from seq2bert.palette import ROLES
from seq2bert.pictures import FONT, scrolling

REACH = 3
"""The plane reaches from -REACH to REACH on both axes."""

_SIZE = 360


@dataclass(frozen=True)
class Scene:
    """What a picture shows.

    Attributes:
        query: a point of the plane.
        keys: points of the plane; they are the values too.
        allowed: for each key whether the query may attend to it.
        energies: one for each key.
        weights: one for each key.
        context: the weighted sum of the keys.
    """

    query: tuple[float, ...]
    keys: tuple[tuple[float, ...], ...]
    allowed: tuple[bool, ...]
    energies: tuple[float, ...]
    weights: tuple[float, ...]
    context: tuple[float, ...]


def plane_svg(scene: Scene) -> str:
    """Draw query, keys and context as arrows from the origin; an SVG that stands alone."""
    ink, query, key, paper, line = (
        ROLES[name]["light"] for name in ("ink", "query", "key", "paper", "line")
    )
    parts = [
        f'<path class="s2b-axis" fill="none" stroke="{line}" '
        f'd="M{_across(at)} 0V{_SIZE}M0 {_down(at)}H{_SIZE}"/>'
        for at in range(-REACH, REACH + 1)
    ]
    x, y = _across(scene.context[0]), _down(scene.context[1])
    parts.append(
        f'<g class="s2b-context">{_line(x, y, ink, 2)}'
        f'<path d="M{x} {y - 8}l8 8l-8 8l-8 -8z" fill="{ink}"/>{_name(x, y, "c", ink)}</g>'
    )
    for number, (point, weight, may) in enumerate(
        zip(scene.keys, scene.weights, scene.allowed, strict=True), start=1
    ):
        x, y = _across(point[0]), _down(point[1])
        radius = max(3.5, round(16 * weight**0.5, 1))
        fill = key if may else paper
        parts.append(
            f'<g class="s2b-handle s2b-of-key{"" if may else " s2b-masked"}">{_line(x, y, key, 2)}'
            f'<circle class="s2b-mark-key" cx="{x}" cy="{y}" r="{radius}" fill="{fill}" '
            f'stroke="{key}"/>{_name(x, y, f"k{_subscript(number)}", ink)}</g>'
        )
    x, y = _across(scene.query[0]), _down(scene.query[1])
    parts.append(
        f'<g class="s2b-handle s2b-of-query">{_line(x, y, query, 3)}'
        f'<circle class="s2b-mark-query" cx="{x}" cy="{y}" r="7" fill="{query}"/>'
        f"{_name(x, y, 'q', ink)}</g>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-plane" role="img" '
        f'viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}" '
        f'style="max-width:100%;height:auto" font-family="{FONT}" font-size="13">'
        f"<title>A query and {len(scene.keys)} keys in the plane</title>"
        f"<desc>{describe(scene)}</desc>"
        f'<rect class="s2b-paper" width="{_SIZE}" height="{_SIZE}" fill="{paper}"/>'
        + "".join(parts)
        + "</svg>"
    )


def describe(scene: Scene) -> str:
    """One sentence for those who do not see the picture."""
    x, y = scene.query
    keys = "; ".join(
        f"key {number} at ({signed(point[0])}, {signed(point[1])}) has the weight "
        f"{weight_text(weight)}"
        for number, (point, weight) in enumerate(
            zip(scene.keys, scene.weights, strict=True), start=1
        )
    )
    context = ", ".join(signed(number) for number in scene.context)
    return f"The query at ({signed(x)}, {signed(y)}): {keys}; the context is ({context})."


def table_html(scene: Scene) -> str:
    """The keys with their energies and weights, as a table: the parts of the live one, at rest."""
    rows = "".join(
        f'<tr{"" if may else " class=s2b-masked"}><th scope="row">k{_subscript(number)}</th>'
        f"<td>{'yes' if may else 'no'}</td><td>{signed(point[0])}</td><td>{signed(point[1])}</td>"
        f"<td>{signed(energy)}</td><td>{_bar(weight)}</td></tr>"
        for number, (point, may, energy, weight) in enumerate(
            zip(scene.keys, scene.allowed, scene.energies, scene.weights, strict=True), start=1
        )
    )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("look", "x", "y", "energy", "weight")
    )
    x, y = (signed(number) for number in scene.context)
    total = f'<span class="s2b-bar-cell"><span></span><span>{sum(scene.weights):.2f}</span></span>'
    return (
        '<table class="s2b-table s2b-keys"><caption>The keys, which are the values too</caption>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}"
        f'<tr class="s2b-sum"><th scope="row">context</th><td></td><td>{x}</td><td>{y}</td>'
        f"<td>sum</td><td>{total}</td></tr></tbody></table>"
    )


def figure_html(
    scene: Scene, formula: str, controls: tuple[str, str] = ("", ""), shade: str = ""
) -> str:
    """Plane and table: the parts of the live widget, at rest.

    Args:
        scene: what the picture shows.
        formula: of the energy.
        controls: HTML that takes the room of the live widget's two lines of controls.
        shade: what the live widget says about its shade; here it only takes the room.
    """
    above, below = (line or '<div class="s2b-bar"></div>' for line in controls)
    said = f'<span class="s2b-unseen" aria-hidden="true">{shade}</span>' if shade else ""
    return (
        '<figure style="margin:0"><div class="s2b s2b-playground s2b-at-rest">'
        f'{above}<p class="s2b-formula">{formula}</p>{below}<div class="s2b-sides"><div>'
        f'<div class="s2b-scroll s2b-plane-box">{plane_svg(scene)}</div>'
        f'<div class="s2b-foot">{said}<span>● key, the larger the more weight; ◆ context</span>'
        "</div></div>"
        f'<div class="s2b-keys-side">{scrolling("s2b-table-box", "Table of the keys")}'
        f'{table_html(scene)}</div><p class="s2b-readout"></p></div></div></div></figure>'
    )


def signed(number: float | int, digits: int = 2) -> str:
    """A number with a real minus sign, and no minus before a zero."""
    text = f"{number:.{digits}f}"
    return (text.replace("-", "") if float(text) == 0 else text).replace("-", "\u2212")


def weight_text(weight: float | int) -> str:
    """A weight as text: a true zero is told from a small number."""
    if weight == 0:
        return "0"
    return "&lt; 0.01" if weight < 0.005 else f"{weight:.2f}"


def _across(x: float | int) -> float:
    return round((x + REACH) / (2 * REACH) * _SIZE, 1)


def _down(y: float | int) -> float:
    return round((REACH - y) / (2 * REACH) * _SIZE, 1)


def _line(x: float, y: float, colour: str, width: int) -> str:
    middle = _SIZE / 2
    return (
        f'<line x1="{middle}" y1="{middle}" x2="{x}" y2="{y}" stroke="{colour}" '
        f'stroke-width="{width}"/>'
    )


def _name(x: float, y: float, name: str, colour: str) -> str:
    return (
        f'<text class="s2b-label" x="{x + 12:.1f}" y="{y - 9:.1f}" font-weight="600" '
        f'fill="{colour}">{name}</text>'
    )


def _bar(weight: float) -> str:
    return (
        f'<span class="s2b-bar-cell"><span class="s2b-prob" style="--chance:{weight:.4f}"></span>'
        f"<span>{weight_text(weight)}</span></span>"
    )


def _subscript(number: int) -> str:
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(number))
