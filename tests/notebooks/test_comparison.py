"""The comparison of stored and fresh outputs finds what it should find."""

import pytest

from comparison import Tolerance, differences


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def display(**data):
    kinds = {kind.replace("_", "/", 1): content for kind, content in data.items()}
    return {"output_type": "display_data", "data": kinds, "metadata": {}}


def test_equal_text_is_accepted():
    assert not differences([stream("0.97\n")], [stream("0.97\n")], Tolerance())


def test_a_changed_digit_is_found_without_a_tolerance():
    assert differences([stream("0.97\n")], [stream("0.96\n")], Tolerance())


def test_a_number_within_the_tolerance_is_accepted_and_one_outside_is_not():
    stored = [stream("exact 0.97, AER 0.09\n")]
    tolerance = Tolerance(absolute=0.02)
    assert not differences(stored, [stream("exact 0.96, AER 0.10\n")], tolerance)
    assert differences(stored, [stream("exact 0.97, AER 0.19\n")], tolerance)


def test_words_must_agree_whatever_the_tolerance():
    assert differences([stream("AER 0.1")], [stream("BLEU 0.1")], Tolerance(absolute=9))


def test_digits_inside_words_are_words():
    assert differences([stream("row h1: 0.5")], [stream("row h2: 0.5")], Tolerance(absolute=9))


def test_a_share_of_numbers_may_lie_outside():
    stored, fresh = [stream("0.1 0.2 0.3 0.4")], [stream("0.1 0.2 0.3 0.9")]
    assert not differences(stored, fresh, Tolerance(absolute=0.1, share=0.75))
    assert differences(stored, fresh, Tolerance(absolute=0.1, share=0.8))


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_output_is_found(missing):
    outputs = [stream("a"), display(text_plain="b")]
    assert differences(outputs, outputs[:missing], Tolerance())


def test_a_table_is_compared_and_the_picture_beside_it_is_not():
    before = [display(text_html="<svg><rect x='1'/></svg><td>0.50</td>", image_png="AAAA")]
    moved = [display(text_html="<svg><rect x='2'/></svg><td>0.50</td>", image_png="BBBB")]
    wrong = [display(text_html="<svg><rect x='1'/></svg><td>0.90</td>", image_png="AAAA")]
    assert not differences(before, moved, Tolerance())
    assert differences(before, wrong, Tolerance(absolute=0.1))


def test_the_sentence_that_names_the_strongest_cell_may_name_another():
    def figure(token):
        return [display(text_html=f'<p class="s2b-readout">{token}</p><td>0.99</td><td>1.00</td>')]

    assert not differences(figure("chat"), figure("dort"), Tolerance(absolute=0.1))


def test_chart_data_are_compared():
    kind = "application/vnd.vegalite.v6+json"
    chart = [{"output_type": "display_data", "data": {kind: {"data": [{"y": 0.5}]}}}]
    other = [{"output_type": "display_data", "data": {kind: {"data": [{"y": 0.8}]}}}]
    assert not differences(chart, chart, Tolerance())
    assert differences(chart, other, Tolerance(absolute=0.1))


def test_what_a_progress_bar_overwrote_does_not_count_but_a_warning_does():
    bar = stream("\r 10%|#  |\r         \r", "stderr")
    assert not differences([], [bar], Tolerance())
    assert differences([], [stream("UserWarning: look out\n", "stderr")], Tolerance())
