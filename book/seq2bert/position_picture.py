"""Static pictures of what positions are: vectors, what a pair of places gets, one row of it.

The live ones (`book/frontend/src/widgets/positions`) are drawn by the same rules: every picture
has a fixed size, whatever the number of places is, so that nothing moves when it changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from seq2bert import strips
from seq2bert.palette import ROLES, signed_class
from seq2bert.palette import signed as colour
from seq2bert.pictures import FONT, scrolling
from seq2bert.plane_picture import signed
from seq2bert.position_words import Matrix, largest, law, number

SIZE, LEFT, TOP, SIDE = 342, 48, 34, 290
"""Pixels of a picture, where its cells begin, and how far they reach."""

LOW, PROFILE_TOP, PROFILE_HIGH = 210, 14, 160
"""Pixels of the profile: its height, where its plot begins, how high that is."""

EMPTY = "This scheme has no vectors: it adds a number to the energy."


@dataclass(frozen=True)
class Scene:
    """What the pictures show.

    Attributes:
        heading: what the vectors are.
        asks: what the rows of the scores are.
        looked_at: what their columns are.
        measure: what a score is.
        vectors: one row for each place; None when the scheme has none.
        scores: for each pair of places.
        row: the place whose scores are drawn as a profile.
        column: the place that is pointed at.
    """

    heading: str
    asks: str
    looked_at: str
    measure: str
    vectors: Matrix | None
    scores: Matrix
    row: int
    column: int


def ticks(count: int) -> range:
    """Which of so many rows or columns get a number: at most nine."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if count <= 9 * step or step == 100)
    return range(0, count, step)


def field_svg(values: Matrix, title: str, across: str, down: str, kind: str, marks: str) -> str:
    """Numbers around 0 as coloured cells; an SVG that stands alone.

    Args:
        values: rows of numbers.
        title: what they are.
        across: what the columns are.
        down: what the rows are.
        kind: class of the picture.
        marks: SVG on top of the cells.
    """
    rows, columns = len(values), len(values[0])
    high, wide = SIDE / rows, SIDE / columns
    parts = [*_captions(across, down)]
    parts += [_tick(LEFT - 5, TOP + (at + 0.5) * high + 4, at, "end") for at in ticks(rows)]
    parts += [_tick(LEFT + (at + 0.5) * wide, TOP - 5, at, "middle") for at in ticks(columns)]
    parts += [*_cells(values, wide, high), _edge(SIDE), marks]
    return _standing_alone(kind, title, SIZE, "".join(parts))


def blank_svg(title: str, kind: str) -> str:
    """A picture of the same size with a sentence instead of cells."""
    first, second = EMPTY.split(": ")
    words = "".join(
        f'<text class="s2b-caption" x="{SIZE / 2:g}" y="{y}" text-anchor="middle" font-size="11" '
        f'fill="{ROLES["muted"]["light"]}">{text}</text>'
        for y, text in ((170, f"{first}:"), (188, second))
    )
    return _standing_alone(kind, title, SIZE, words)


def profile_svg(scene: Scene) -> str:
    """The scores of one row against distance, on top of those of all rows."""
    scores, row = scene.scores, scene.row
    count = len(scores)
    least = min(0.0, *(score for line in scores for score in line))
    most = max(0.0, *(score for line in scores for score in line))
    tall = (most - least) or 1.0

    def x(distance: int) -> float:
        return LEFT + SIDE * (distance + count - 1) / max(1, 2 * count - 2)

    def y(score: float) -> float:
        return PROFILE_TOP + PROFILE_HIGH * (most - score) / tall

    dots = {
        f"M{x(j - i) - 1.5:.1f} {y(score) - 1.5:.1f}h3v3h-3z": None
        for i, line in enumerate(scores)
        for j, score in enumerate(line)
    }
    points = [(x(j - row), y(score)) for j, score in enumerate(scores[row])]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    a, b = points[scene.column]
    query, key, grey, muted = (_light(role) for role in ("query", "key", "muted", "line"))
    bottom = PROFILE_TOP + PROFILE_HIGH
    ends = [(most, PROFILE_TOP + 4), (least, bottom + 4)]
    parts = [
        f'<path class="s2b-axis" fill="none" stroke="{muted}" d="M{LEFT} {y(0):.1f}h{SIDE}'
        f'M{x(0):.1f} {PROFILE_TOP}V{bottom}"/>',
        f'<path class="s2b-others" fill="{grey}" fill-opacity="0.45" d="{"".join(dots)}"/>',
        f'<polyline class="s2b-row-line" fill="none" stroke="{query}" stroke-width="2" '
        f'points="{line}"/>',
        f'<circle class="s2b-here" cx="{a:.1f}" cy="{b:.1f}" r="5" fill="{key}"/>',
        *(_words(LEFT - 5, at, number(end, largest(scores)), "end") for end, at in ends),
        *(
            _words(
                x(distance),
                bottom + 18,
                signed(distance, 0),
                "end" if distance == count - 1 else "middle",
            )
            for distance in profile_ticks(count)
        ),
        _words(LEFT + SIDE, LOW - 3, "distance j \N{MINUS SIGN} i →", "end"),
    ]
    title = f"{scene.measure} of place {row} against distance"
    return _standing_alone("s2b-profile", title, LOW, "".join(parts))


def profile_ticks(count: int) -> list[int]:
    """Which distances get a number."""
    most = count - 1
    half = most // 2
    return sorted({-most, -half, 0, half, most})


def pictures_svg(scene: Scene) -> str:
    """All pictures beside each other; an SVG that stands alone."""
    placed = [
        (vectors_svg(scene), 0, SIZE),
        (scores_svg(scene), SIZE, SIZE),
        (profile_svg(scene), 2 * SIZE, LOW),
    ]
    parts = "".join(
        f'<g transform="translate({left} 0)">{svg[svg.index("</desc>") + 7 : -len("</svg>")]}</g>'
        for svg, left, _ in placed
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {3 * SIZE} {SIZE}" width="{3 * SIZE}" height="{SIZE}" '
        f'style="width:100%;max-width:{3 * SIZE}px;height:auto" font-family="{FONT}" '
        f'font-size="13"><title>{escape(scene.measure)} of each pair of places</title>'
        f"<desc>{escape(describe(scene))}</desc>"
        f'<rect class="s2b-paper" width="{3 * SIZE}" height="{SIZE}" fill="{_light("paper")}"/>'
        f"{parts}</svg>"
    )


def describe(scene: Scene) -> str:
    """One sentence for those who do not see the picture."""
    return f"{scene.heading}; {scene.measure} for {len(scene.scores)} places. {law(scene.scores)}"


def vectors_svg(scene: Scene) -> str:
    """Position by feature, or a sentence where there are no vectors."""
    if scene.vectors is None:
        return blank_svg(scene.heading, "s2b-vectors")
    high = SIDE / len(scene.vectors)
    marks = "".join(
        _frame(LEFT, TOP + at * high, SIDE, high, role)
        for at, role in ((scene.column, "key"), (scene.row, "query"))
    )
    return field_svg(scene.vectors, scene.heading, "feature", "place", "s2b-vectors", marks)


def scores_svg(scene: Scene) -> str:
    """Place by place."""
    cell = SIDE / len(scene.scores)
    marks = _frame(LEFT, TOP + scene.row * cell, SIDE, cell, "query")
    marks += _frame(LEFT + scene.column * cell, TOP + scene.row * cell, cell, cell, "ink")
    kind = "s2b-scores-of-places"
    return field_svg(scene.scores, f"{scene.measure}", scene.looked_at, scene.asks, kind, marks)


def table_html(values: Matrix, caption: str, down: str, across: str) -> str:
    """A matrix as a table: headers on both axes."""
    scale = largest(values)
    heads = "".join(f'<th scope="col">{across} {at}</th>' for at in range(len(values[0])))
    rows = "".join(
        f'<tr><th scope="row">{down} {at}</th>'
        + "".join(f"<td>{number(value, scale)}</td>" for value in row)
        + "</tr>"
        for at, row in enumerate(values)
    )
    return (
        f'<table class="s2b-table"><caption>{escape(caption)}</caption><thead><tr><td></td>{heads}'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )


def figure_html(scene: Scene, formula: str, bars: Sequence[str], said: str) -> str:
    """Pictures, sentences and tables: the parts of the live widget, at rest.

    Args:
        scene: what the pictures show.
        formula: of the scheme.
        bars: HTML that takes the room of the live widget's controls.
        said: what the picture of the scores says about the chosen pair.
    """
    vectors = scene.vectors
    panels = (
        (scene.heading, vectors_svg(scene), _scale(vectors) if vectors is not None else ""),
        (scene.measure, scores_svg(scene), _scale(scene.scores)),
        (f"Row {scene.row} against distance", profile_svg(scene), PROFILE_LEGEND),
    )
    drawn = "".join(
        f'<div class="s2b-panel-of-places"><p class="s2b-panel-name">{escape(name)}</p>'
        f'{svg}<div class="s2b-foot">{foot}</div></div>'
        for name, svg, foot in panels
    )
    words = (
        f'<div class="s2b-panel-of-places"><p class="s2b-panel-name">In words</p>'
        f'<p class="s2b-law">{escape(law(scene.scores))}</p>'
        f'<p class="s2b-readout">{escape(said)}</p></div>'
    )
    twins = _twin(
        "Table of the scores", table_html(scene.scores, scene.measure, scene.asks, scene.looked_at)
    )
    shown = (
        table_html(vectors, scene.heading, "place", "feature")
        if vectors is not None
        else f"<p>{EMPTY}</p>"
    )
    twins += _twin("Table of the vectors", shown)
    return (
        '<figure style="margin:0"><div class="s2b s2b-positions s2b-at-rest">'
        f'{"".join(bars)}<p class="s2b-scheme">{escape(formula)}</p>'
        f'<div class="s2b-places">{drawn}{words}</div>{twins}</div></figure>'
    )


PROFILE_LEGEND = "<span>line: this row; squares: all rows; dot: the chosen pair</span>"


def _twin(name: str, content: str) -> str:
    return (
        f'<details class="s2b-twin"><summary>{name}</summary>'
        f"{scrolling('s2b-table-box', name)}{content}</div></details>"
    )


def _scale(values: Matrix) -> str:
    most = number(largest(values))
    return (
        f'<span class="s2b-legend">\N{MINUS SIGN}{most}<svg class="s2b-scale" '
        f'viewBox="0 0 160 10" preserveAspectRatio="none" width="160" height="10" '
        f'aria-hidden="true">{strips.scale_cells()}</svg>{most}</span>'
    )


def _cells(values: Matrix, wide: float, high: float) -> Iterator[str]:
    """A path for each colour; paper is left out."""
    scale = largest(values)
    squares: dict[str, list[str]] = defaultdict(list)
    colours: dict[str, str] = {}
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            name = signed_class(value / scale)
            if name != "s2b-w0":
                x, y = LEFT + column * wide, TOP + row * high
                squares[name].append(f"M{x:.2f} {y:.2f}h{wide:.2f}v{high:.2f}h-{wide:.2f}z")
                colours[name] = colour(value / scale)
    for name in sorted(squares):
        yield (
            f'<path class="{name}" fill="{colours[name]}" shape-rendering="crispEdges" '
            f'd="{"".join(squares[name])}"/>'
        )


def _standing_alone(kind: str, title: str, high: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-of-places {kind}" role="img" '
        f'viewBox="0 0 {SIZE} {high}" width="{SIZE}" height="{high}" '
        f'style="max-width:100%;height:auto" font-family="{FONT}" font-size="13">'
        f"<title>{escape(title)}</title><desc>{escape(title)}</desc>"
        f'<rect class="s2b-paper" width="{SIZE}" height="{high}" fill="{_light("paper")}"/>'
        f"{content}</svg>"
    )


def _captions(across: str, down: str) -> Iterator[str]:
    yield _words(LEFT + SIDE, 11, f"{across} →", "end")
    yield _words(4, 11, f"{down} ↓", "start")


def _tick(x: float, y: float, at: int, anchor: str) -> str:
    return _words(x, y, str(at), anchor)


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text class="s2b-caption" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" '
        f'fill="{_light("muted")}">{text}</text>'
    )


def _edge(side: int) -> str:
    return (
        f'<rect class="s2b-edge" x="{LEFT}" y="{TOP}" width="{side}" height="{side}" fill="none" '
        f'stroke="{_light("line")}"/>'
    )


def _frame(x: float, y: float, wide: float, high: float, role: str) -> str:
    box = f'x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{high:.2f}" fill="none"'
    return (
        f'<rect class="s2b-halo" {box} stroke="{_light("paper")}" stroke-width="4"/>'
        f'<rect class="s2b-of-{role}-frame" {box} stroke="{_light(role)}" stroke-width="2"/>'
    )


def _light(role: str) -> str:
    return ROLES[role]["light"]
