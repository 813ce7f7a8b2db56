"""Strips of coloured cells: the right cell in the right colour, and words for whoever sees none."""

import re

import pytest
import torch

from seq2bert import palette, strips
from seq2bert.stepping import Likeness, Moment, Walk


def made(encoder, decoder, source=("the", "king"), written=("le", "<eos>")):
    word = [Likeness(token, 2.0, 0.5, -0.1) for token in written]
    reads = ("<bos>", *written)
    moments = tuple(
        Moment(read, one, tuple(word), word[0]) for read, one in zip(reads, word, strict=False)
    )
    return Walk(source, torch.tensor(encoder), torch.tensor(decoder), moments)


WALK = made([[0.0, 0.6], [0.3, 0.2]], [[0.3, 0.2], [-0.9, 0.2]])


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.0, "w0"), (-0.02, "w0"), (0.35, "w35"), (-0.35, "n35"), (1.0, "w100"), (-1.0, "n100")],
)
def test_a_number_is_painted_in_steps_of_five_hundredths(value, name):
    assert palette.signed_class(value) == f"s2b-{name}"


@pytest.mark.parametrize("value", [1.1, -1.1, float("nan")])
def test_a_number_outside_the_scale_is_named(value):
    with pytest.raises(ValueError, match="-1 to 1"):
        palette.signed_class(value)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_sides_of_the_scale_are_equally_far_from_the_paper_in_lightness(theme):
    pairs = zip(palette.levels(theme), palette.negative_levels(theme), strict=True)
    for above, below in pairs:
        lightness = [palette._to_oklab(colour)[0] for colour in (above, below)]
        assert lightness[0] == pytest.approx(lightness[1], abs=0.05)


def test_a_wide_state_is_folded_and_each_cell_stands_at_its_number():
    values = [0.0] * 128
    values[3], values[70] = 0.5, -0.5
    drawn = strips.strip_svg(values)
    assert 'viewBox="0 0 64 2"' in drawn
    assert re.findall(r'class="(s2b-[wn]\d+)"[^>]*d="([^"]+)"', drawn) == [
        ("s2b-n50", "M6 1h1v1h-1z"),
        ("s2b-w50", "M3 0h1v1h-1z"),
    ]


def test_a_state_without_numbers_is_refused():
    with pytest.raises(ValueError, match="no numbers"):
        strips.strip_svg([])


def test_changes_are_distances_from_the_state_before():
    # |(0, .6)|, |(.3, -.4)|, then the first state of the decoder beside c, then |(-1.2, 0)|
    assert strips.changes(WALK) == pytest.approx([0.6, 0.5, 0.0, 1.2])


def test_the_picture_stands_alone_and_says_what_it_shows():
    drawn = strips.states_svg(WALK)
    assert drawn.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "2 states of the encoder for “the king”" in drawn
    assert "which writes “le”" in drawn
    for words in ("c, handed over", "&lt;bos&gt; → le", "le → end"):
        assert f">{words}</text>" in drawn


def test_markup_in_a_word_stays_text():
    walk = made([[0.1], [0.2]], [[0.1], [0.2]], source=("<script>", "&"))
    assert "<script>" not in strips.states_svg(walk)
