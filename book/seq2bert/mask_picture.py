"""Static pictures of a mask, of the weights under it, and of what it lets through.

The live ones (`book/frontend/src/widgets/masks`) are drawn by the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.labels import label, shown
from seq2bert.palette import ROLES, ramp
from seq2bert.pictures import FONT, SMALLEST_SCALE, scrolling
from seq2bert.plane_picture import signed
from seq2bert.vocabulary import PAD

ALLOWED = 0.3
"""The weight whose colour an allowed cell has; a forbidden one is blank, with a cross."""


@dataclass(frozen=True)
class Scene:
    """What the pictures show of one sentence of a batch.

    Attributes:
        batch: the sentences, filled up to the same length.
        sentence: which of them is shown.
        allowed: for each query and key whether the query may attend to it.
        by_hand: cells (query, key) that the reader switched.
        weights: for each query and key.
        output: the numbers of each row.
        moved: how far the outputs move with the last word; None when it was not changed.
        leak: what the change of the last word shows, in words.
    """

    batch: tuple[tuple[str, ...], ...]
    sentence: int
    allowed: Sequence[Sequence[bool]]
    by_hand: frozenset[tuple[int, int]]
    weights: Sequence[Sequence[float]]
    output: Sequence[Sequence[float]]
    moved: Sequence[float] | None
    leak: str

    @property
    def words(self) -> tuple[str, ...]:
        """The sentence that is shown, with its padding."""
        return self.batch[self.sentence]


def mask_svg(scene: Scene) -> str:
    """Queries in rows, keys in columns: a tint where a query may attend, a cross where not."""
    words = scene.words
    place = pictures.layout(words, words)
    ink, muted = ROLES["ink"]["light"], ROLES["muted"]["light"]
    tint = f's2b-w{ALLOWED * 100:g}" fill="{ramp(ALLOWED)}'
    side = place.cell - 1
    tinted, crosses, dots = [], [], []
    for query, row in enumerate(scene.allowed):
        for key, may in enumerate(row):
            x, y = place.left + key * place.cell, place.top + query * place.cell
            if may:
                tinted.append(f"M{x + 0.5} {y + 0.5}h{side}v{side}h-{side}z")
            else:
                crosses.append(cross(x, y, place.cell))
            if (query, key) in scene.by_hand:
                middle = place.cell / 2
                dots.append(f'<circle class="s2b-by-hand" cx="{x + middle:g}" cy="{y + middle:g}" ')
                dots.append(f'r="{place.cell * 0.4:g}" fill="none" stroke="{ink}"/>')
    size = f"width:100%;max-width:{place.width}px;"
    size += f"min-width:{math.floor(place.width * SMALLEST_SCALE)}px;height:auto"
    across = place.cell * len(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {place.width} {place.height}" width="{place.width}" '
        f'height="{place.height}" style="{size}" direction="ltr" font-family="{FONT}" '
        f'font-size="{place.font}"><title>Mask</title><desc>{escape(describe(scene))}</desc>'
        f'<rect class="s2b-paper" width="{place.width}" height="{place.height}" '
        f'fill="{ROLES["paper"]["light"]}"/>{"".join(_labels(words, place))}'
        f'<rect class="s2b-edge" x="{place.left}" y="{place.top}" width="{across}" '
        f'height="{across}" fill="none" stroke="{ROLES["line"]["light"]}"/>'
        f'<path class="{tint}" d="{"".join(tinted)}"/>'
        f'<path class="s2b-forbidden" fill="none" stroke="{muted}" d="{"".join(crosses)}"/>'
        f"{''.join(dots)}</svg>"
    )


def cross(x: float | int, y: float | int, cell: int) -> str:
    """The path of a cross in the middle of a cell."""
    arm = round(cell * 0.16, 2)
    middle = f"M{x + cell / 2 - arm:g} {y + cell / 2 - arm:g}"
    return f"{middle}l{2 * arm:g} {2 * arm:g}m0-{2 * arm:g}l-{2 * arm:g} {2 * arm:g}"


def attention(scene: Scene) -> AttentionMap:
    """The weights as a map."""
    return AttentionMap(scene.weights, scene.words, scene.words, "encoder")  # type: ignore[arg-type]


def describe(scene: Scene) -> str:
    """One sentence for those who do not see the picture of the mask."""
    count = sum(map(sum, scene.allowed))
    words = len(scene.words)
    return f"{words} queries in rows, {words} keys in columns; {count} of {words**2} cells allowed."


def batch_html(scene: Scene) -> str:
    """The sentences of the batch as a table: a row for each, filled up to the same length."""
    rows = "".join(
        f'<tr{" class=s2b-shown" if at == scene.sentence else ""}><th scope="row">{at + 1}</th>'
        + "".join(
            f"<td{' class=s2b-pad' if word == PAD else ''}><bdi>{escape(shown(word))}</bdi></td>"
            for word in words
        )
        + "</tr>"
        for at, words in enumerate(scene.batch)
    )
    return (
        '<table class="s2b-table s2b-batch"><caption>The batch: choose the sentence to look at'
        f"</caption><tbody>{rows}</tbody></table>"
    )


def output_html(scene: Scene) -> str:
    """What comes out of each row: how many keys it has, its numbers, whether they moved."""
    heads = ("keys", "sum", "last word changed", "output")
    rows = "".join(
        f'<tr{_moved_class(scene, at)}><th scope="row"><bdi>{escape(shown(word))}</bdi></th>'
        f"<td>{sum(scene.allowed[at])}</td><td>{sum(scene.weights[at]):.2f}</td>"
        f"<td>{moved_text(scene, at)}</td>"
        f"<td>{' '.join(signed(number) for number in scene.output[at])}</td></tr>"
        for at, word in enumerate(scene.words)
    )
    columns = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return (
        '<table class="s2b-table s2b-outputs"><caption>Each row: how many keys it may attend to, '
        "the sum of its weights, what it reads</caption><thead><tr><td></td>"
        f"{columns}</tr></thead><tbody>{rows}</tbody></table>"
    )


def moved_text(scene: Scene, row: int) -> str:
    """Whether the output of a row moved with the last word, and how far."""
    if scene.moved is None:
        return ""
    return f"moves by {scene.moved[row]:.2f}" if scene.moved[row] else "the same"


def weights_html(scene: Scene) -> str:
    """Mask and weights as one table: a masked weight is 0 and says that it is forbidden."""
    heads = "".join(f'<th scope="col"><bdi>{escape(shown(w))}</bdi></th>' for w in scene.words)
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(shown(word))}</bdi></th>'
        + "".join(
            f"<td>{f'{weight:.2f}' if may else '0 forbidden'}</td>"
            for weight, may in zip(scene.weights[at], scene.allowed[at], strict=True)
        )
        + "</tr>"
        for at, word in enumerate(scene.words)
    )
    return (
        '<table class="s2b-table"><caption>Weight of each key (column) for each query (row)'
        f"</caption><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def figure_html(scene: Scene, bars: tuple[str, str, str], said: str) -> str:
    """Pictures, sentences and tables: the parts of the live widget, at rest.

    Args:
        scene: what the pictures show.
        bars: HTML that takes the room of the live widget's three lines of controls.
        said: what the live widget says while nothing is pointed at.
    """
    typed = "\n".join(" ".join(w for w in words if w != PAD) for words in scene.batch)
    batch, masks, tests = bars
    panels = "".join(
        f'<div class="s2b-masked-panel"><p class="s2b-grid-name">{name}</p>'
        f'<div class="s2b-holder">{scrolling("s2b-scroll", f"Picture of the {name.lower()}")}'
        f'<div class="s2b-frame">{svg}</div></div></div><div class="s2b-foot">{foot}</div></div>'
        for name, svg, foot in (
            ("Mask", mask_svg(scene), MASK_LEGEND),
            ("Weights", pictures.heat_map_svg(attention(scene)), WEIGHT_LEGEND),
        )
    )
    name = "Table of mask and weights"
    return (
        '<figure style="margin:0"><div class="s2b s2b-masks s2b-at-rest"><div class="s2b-field">'
        '<span class="s2b-ask">Sentences, one in each line, one to four</span>'
        f'<span class="s2b-input">{escape(typed)}</span></div><p class="s2b-batch-note"></p>'
        f"{batch}{scrolling('s2b-table-box', 'The batch')}{batch_html(scene)}</div>"
        f'{masks}<div class="s2b-grids">{panels}</div>'
        f'<p class="s2b-readout">{escape(said)}</p>{tests}'
        f'<p class="s2b-leak">{escape(scene.leak)}</p>'
        f"{scrolling('s2b-table-box', 'The output of each row')}{output_html(scene)}</div>"
        f'<details class="s2b-twin"><summary>{name}</summary>'
        f"{scrolling('s2b-table-box', name)}{weights_html(scene)}</div></details></div></figure>"
    )


MASK_LEGEND = "<span>tint: allowed; cross: forbidden; ring: switched by hand</span>"
WEIGHT_LEGEND = (
    f'<span class="s2b-legend">weight 0{pictures.scale()}1</span><span>cross: exactly 0</span>'
)


def _moved_class(scene: Scene, row: int) -> str:
    return " class=s2b-moved" if scene.moved is not None and scene.moved[row] else ""


def _labels(words: Sequence[str], place: pictures.Layout) -> Iterator[str]:
    ink, muted = ROLES["ink"]["light"], ROLES["muted"]["light"]
    for role, text, up in (("key", "keys →", 40), ("query", "queries ↓", 21)):
        yield (
            f'<rect class="s2b-mark-{role}" x="{place.left - 9}" y="{place.top - up}" width="3" '
            f'height="11" fill="{ROLES[role]["light"]}"/><text class="s2b-caption" '
            f'x="{place.left - 14}" y="{place.top - up + 9}" text-anchor="end" font-size="11" '
            f'fill="{muted}">{text}</text>'
        )
    for at, word in enumerate(words):
        middle = (at + 0.5) * place.cell
        text = escape(label(word))
        yield (
            f'<text class="s2b-label" x="{place.left - 8}" '
            f'y="{place.top + middle + place.font * 0.35:g}" text-anchor="end" fill="{ink}">'
            f"{text}</text>"
            f'<text class="s2b-label" transform="translate('
            f"{place.left + middle + place.font * 0.3:g} {place.top - 8}) rotate(-45)"
            f'" fill="{ink}">{text}</text>'
        )
