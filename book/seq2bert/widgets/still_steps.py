"""The step-through widget where nothing runs: the parts of the live one, at rest."""

from __future__ import annotations

import math
from html import escape

from seq2bert import pictures, strips
from seq2bert.labels import shown
from seq2bert.stepping import Likeness, Walk
from seq2bert.vocabulary import EOS
from seq2bert.widgets.still import STATUS


def steps_html(walk: Walk, examples: int, more: bool) -> str:
    """A sentence, its states and what the first output vector is compared with.

    Args:
        walk: the first example.
        examples: how many there are: the live widget has a choice where there are several.
        more: whether it has a button for further ones.
    """
    bar = '<span class="s2b-control">Example</span>' if examples > 1 else ""
    bar += '<span class="s2b-button">Another sentence</span>' if more else ""
    step = len(walk.source) + 2
    count = len(walk.source) + 1 + len(walk.moments)
    return (
        '<figure style="margin:0"><div class="s2b s2b-stepthrough s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(" ".join(walk.source))}</span>'
        '<div class="s2b-strip-words"></div></div>'
        f'<div class="s2b-bar s2b-ask-bar">{bar}</div><p class="s2b-status">{STATUS}</p>'
        '<p class="s2b-note"></p>'
        f'<div class="s2b-walk"><span class="s2b-place">step {step} of {count}</span></div>'
        f'<p class="s2b-readout">{escape(moment_sentence(walk, 0))}</p>'
        f'<div class="s2b-holder s2b-parts">{_parts(walk)}</div>'
        f"{_comparison(walk)}{_foot(walk)}"
        '<details class="s2b-twin"><summary>Table of all steps</summary>'
        f"{pictures.scrolling('s2b-table-box', 'Table of all steps')}{table_html(walk)}</div>"
        "</details></div></figure>"
    )


def moment_sentence(walk: Walk, place: int) -> str:
    """What happens at a step of the decoder."""
    moment = walk.moments[place]
    chance = _chance(moment.written.log_prob)
    writes = "the end" if moment.written.token == EOS else shown(moment.written.token)
    return f"The decoder reads {shown(moment.read)} and writes {writes}, probability {chance}."


def table_html(walk: Walk) -> str:
    """Every step as a row: what was read, how far the state moved, what was written, and how."""
    heads = ("step", "reads", "state moves by", "writes", "dot product", "cosine", "probability")
    rows = []
    for step, moved in enumerate(strips.changes(walk), start=1):
        place = step - 1 - len(walk.source)
        if place < 0:
            cells = [shown(walk.source[step - 1]), f"{moved:.1f}", "", "", "", ""]
        else:
            moment = walk.moments[place]
            word = moment.written
            chance = _chance(word.log_prob)
            cells = [shown(moment.read), f"{moved:.1f}", shown(word.token)]
            cells += [f"{word.dot:.1f}", f"{word.cosine:.2f}", chance]
        who = "encoder" if place < 0 else "decoder"
        number = step if place < 0 else place + 1
        rows.append(
            f'<tr><th scope="row">{who} {number}</th>'
            + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells)
            + "</tr>"
        )
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (
        '<table class="s2b-table"><caption>What each step reads, how far it moves the state, and '
        f"what the decoder writes</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}"
        "</tbody></table>"
    )


def _parts(walk: Walk) -> str:
    """The two columns of states; c stands at the head of the second."""
    moved, names = strips.changes(walk), strips.step_names(walk)
    states = [*walk.encoder.tolist(), *walk.decoder.tolist()]
    read, largest = len(walk.source), max(moved)
    rows = [
        _row(name, strips.strip_svg(state), change, largest)
        for name, state, change in zip(names, states, moved, strict=True)
    ]
    handed = _row("c = s₀", strips.strip_svg(states[read - 1]), None, largest)
    return "".join(
        f'<div class="s2b-part"><p class="s2b-part-title">{title}</p>'
        f'<ol class="s2b-states">{"".join(group)}</ol></div>'
        for title, group in (
            (f"Encoder: h<sub>1</sub> to h<sub>{read}</sub>", rows[:read]),
            (f"Decoder: s<sub>0</sub> to s<sub>{len(names) - read}</sub>", [handed, *rows[read:]]),
        )
    )


def _row(name: str, strip: str, moved: float | None, largest: float) -> str:
    bar = "" if moved is None else _change(moved, largest)
    return (
        f'<li class="s2b-state"><span class="s2b-state-word"><bdi>{escape(name)}</bdi></span>'
        f'{strip}<span class="s2b-change">{bar}</span></li>'
    )


def _change(moved: float, largest: float) -> str:
    share = moved / largest if largest > 0 else 0.0
    return (
        f'<span class="s2b-change-bar" style="--share:{share:.3f}" aria-hidden="true"></span>'
        f"<span>{moved:.1f}</span>"
    )


def _comparison(walk: Walk) -> str:
    """The words that the first output vector is nearest to."""
    moment = walk.moments[0]
    widest = max(0.0, *(word.dot for word in moment.best))
    rows = "".join(_word(word, moment.written, widest) for word in moment.best)
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("word", "dot product", "cosine", "probability")
    )
    nearest = f"Largest cosine: {escape(shown(moment.nearest.token))}, {moment.nearest.cosine:.2f}."
    return (
        '<div class="s2b-heads"><p class="s2b-panel-title">The output vector o<sub>1</sub> beside '
        'the vector of every word</p><table class="s2b-compare"><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p class="s2b-hint">{nearest}</p></div>'
    )


def _word(word: Likeness, written: Likeness, widest: float) -> str:
    share = max(0.0, word.dot / widest) if widest > 0 else 0.0
    mark = ' class="s2b-written"' if word.token == written.token else ""
    name = escape(strips.said(word.token))
    return (
        f'<tr{mark}><th scope="row"><span class="s2b-button s2b-choose"><bdi>{name}</bdi></span>'
        f'</th><td><span class="s2b-dot" style="--share:{share:.3f}">{word.dot:.1f}</span></td>'
        f"<td>{word.cosine:.2f}</td><td>{_chance(word.log_prob)}</td></tr>"
    )


def _foot(walk: Walk) -> str:
    scale = (
        '<svg class="s2b-scale" viewBox="0 0 160 10" preserveAspectRatio="none" width="160" '
        f'height="10" aria-hidden="true">'
        f"{strips.scale_cells()}</svg>"
    )
    return (
        f'<div class="s2b-foot"><span class="s2b-legend">{walk.encoder.shape[1]} numbers, '
        f"\N{MINUS SIGN}1{scale}1</span><span>bar: how far the state moved</span></div>"
    )


def _chance(log_prob: float) -> str:
    """A probability as text: two digits, and never a 0 or a 1 that it is not."""
    chance = math.exp(log_prob)
    if chance < 0.005:
        return "< 0.01"
    return "> 0.99" if 0.995 <= chance < 1 else f"{chance:.2f}"
