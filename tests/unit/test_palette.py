"""The ramp is what it claims to be, and the style sheet is written from it."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from seq2bert import palette

SHEET = Path(__file__).parents[2] / "book/frontend/src/shared/ramp.css"
THEMES = ("light", "dark")


def test_the_style_sheet_of_the_widgets_is_the_one_that_the_palette_writes():
    assert SHEET.read_text(encoding="utf-8") == palette.style_sheet(), (
        "run: python -m seq2bert.palette"
    )


@pytest.mark.parametrize("theme", THEMES)
def test_weight_zero_is_the_paper_and_one_the_most_contrasting(theme):
    colours = palette.levels(theme)
    paper = palette.ROLES["paper"][theme]
    ratios = [palette.contrast(colour, paper) for colour in colours]
    assert colours[0] == paper
    assert ratios == sorted(ratios)
    assert ratios[-1] > 12


@pytest.mark.parametrize("theme", THEMES)
def test_equal_steps_of_weight_are_equally_visible(theme):
    points = [palette._to_oklab(colour) for colour in palette.levels(theme)]
    # ten levels at a time: single steps are as small as what a byte per channel can express
    steps = [math.dist(a, b) for a, b in pairwise(points[::10])]
    assert max(steps) / min(steps) < 1.2


@pytest.mark.parametrize("theme", THEMES)
def test_order_survives_without_any_hue(theme):
    lightness = [palette._to_oklab(colour)[0] for colour in palette.levels(theme)]
    assert lightness == sorted(lightness, reverse=theme == "light")


@pytest.mark.parametrize("theme", THEMES)
def test_text_and_marks_can_be_told_from_the_paper(theme):
    paper = palette.ROLES["paper"][theme]
    for role in ("ink", "muted"):
        assert palette.contrast(palette.ROLES[role][theme], paper) >= 4.5
    for role in ("query", "key", "value", "gold"):
        assert palette.contrast(palette.ROLES[role][theme], paper) >= 3


def test_contrast_is_that_of_wcag():
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_the_roles_have_the_colours_of_okabe_and_ito():
    assert [palette.ROLES[role]["light"] for role in ("query", "key", "value")] == [
        "#0072b2",
        "#d55e00",
        "#009e73",
    ]


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_outside_zero_to_one_is_refused_by_name(weight):
    with pytest.raises(ValueError, match="normalise the weights"):
        palette.ramp(weight)


def test_an_unknown_theme_is_refused_by_name(unchecked):
    with pytest.raises(ValueError, match="'sepia'; expected 'light' or 'dark'"):
        unchecked("palette").levels("sepia")


def test_matplotlib_gets_the_same_ramp():
    colormap = palette.colormap("dark")
    assert colormap.N == palette.LEVELS
    assert [round(part * 255) for part in colormap(0)[:3]] == [0x15, 0x17, 0x1C]
