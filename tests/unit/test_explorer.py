"""The corpus explorer's Python half: what it stores, what it answers, what stands beside it."""

import json
import re
import xml.etree.ElementTree as ElementTree

import explorer_fixture
import pytest
from explorer_fixture import some_pairs

from seq2bert import corpus, link_picture
from seq2bert.widgets import CorpusExplorer, bundle
from seq2bert.widgets.compact import short_pair

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def built(monkeypatch):
    """A built front end, whether or not this copy has one."""
    monkeypatch.setattr(bundle, "script", lambda name: "export default { render() {} }")


def test_the_fixture_of_the_front_end_is_fresh():
    stored = json.loads(explorer_fixture.PATH.read_text(encoding="utf-8"))
    assert stored == explorer_fixture.content(), "run python tests/unit/explorer_fixture.py"


def test_a_pair_in_little_room_has_flat_links_target_first():
    source, target, sure, possible = short_pair(some_pairs()[0])
    assert (source, target) == ("the boy does not sleep .", "le garçon ne dort pas .")
    # le-the, garçon-boy, ne-not, dort-sleep, pas-not, .-.; does may go with ne, dort and pas
    assert sure == [0, 0, 1, 1, 2, 3, 3, 4, 4, 3, 5, 5]
    assert possible == [2, 2, 3, 2, 4, 2]


def test_phenomena_are_listed_in_the_order_of_the_corpus_and_only_those_that_occur():
    widget = CorpusExplorer(some_pairs())
    shown = frozenset().union(*(pair.phenomena for pair in some_pairs()))
    assert widget.phenomena == [name for name in corpus.PHENOMENA if name in shown]


def test_the_chapter_s_number_of_pairs_stays_small():
    state = CorpusExplorer(corpus.pairs("test", 250)).get_state(["pairs", "spans"])
    assert len(json.dumps(state)) < 120_000


def test_a_sentence_of_the_language_is_answered_with_its_pair():
    pair = corpus.translate(["the", "car", "is", "old", "."])
    answer, _ = CorpusExplorer(some_pairs()).ask("translate", {"source": list(pair.source)})
    assert (answer["type"], answer["pair"]) == ("answer", short_pair(pair))
    assert {name: tuple(places) for name, places in answer["spans"].items()} == dict(pair.spans)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (["the", "zebra", "sleeps", "."], "zebra"),
        ([], "type some words"),
        (None, "type some words"),
        ([1, 2], "type some words"),
        (["the"] * 61, "61 words; at most 60"),
    ],
)
def test_other_sentences_are_refused_with_the_reason(source, reason):
    answer, _ = CorpusExplorer(some_pairs()).ask("translate", {"source": source})
    assert answer["type"] == "refusal"
    assert reason in answer["message"]


def test_a_function_of_the_learner_that_fails_is_quoted_and_nothing_breaks():
    def broken(source):
        raise KeyError("oops")

    widget = CorpusExplorer(some_pairs(), translate=broken)
    answer, _ = widget.ask("translate", {"source": ["the", "car"]})
    assert answer == {"type": "refusal", "message": "the translation raised KeyError: 'oops'"}


def test_messages_are_answered_under_their_own_number(monkeypatch):
    widget, sent = CorpusExplorer(some_pairs()), []
    monkeypatch.setattr(widget, "send", lambda message, *_: sent.append(message))
    widget._hear(widget, {"type": "hello", "id": "7"}, [])
    widget._hear(widget, {"type": "translate", "id": "8", "request": {"source": ["zebra"]}}, [])
    widget._hear(widget, "no message", [])
    assert sent[0] == {"type": "hello", "id": "7"}
    assert (sent[1]["type"], sent[1]["id"]) == ("refusal", "8")
    assert len(sent) == 2


def test_without_a_translation_it_does_not_offer_to_type(monkeypatch):
    widget, sent = CorpusExplorer(some_pairs(), translate=None), []
    monkeypatch.setattr(widget, "send", lambda message, *_: sent.append(message))
    widget._hear(widget, {"type": "hello", "id": "7"}, [])
    assert sent == []


def test_python_sees_the_pair_that_is_shown():
    widget = CorpusExplorer(some_pairs())
    widget.place = 2
    assert widget.pair == some_pairs()[2]
    typed, _ = widget.ask("translate", {"source": ["the", "car", "is", "old", "."]})
    widget.typed = {"pair": typed["pair"], "spans": typed["spans"]}
    assert widget.pair.target == ("la", "voiture", "est", "vieille", ".")


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("place", 5, "place is 5; this widget has place 0 to 4"),
        ("phenomenon", "tense", "phenomenon is 'tense'; expected one of '', 'adjective_order'"),
        ("length", "tiny", "length is 'tiny'; expected one of '', 'short', 'medium', 'long'"),
    ],
)
def test_what_does_not_exist_cannot_be_chosen(trait, value, message):
    with pytest.raises(ValueError, match=message):
        setattr(CorpusExplorer(some_pairs()), trait, value)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "there are 0 pairs; give a list of 1 to 400"),
        ([1] * 401, "there are 401 pairs"),
        ([("the", "le")], "pair 0 is a tuple; expected a corpus.Pair"),
    ],
)
def test_what_is_no_list_of_pairs_is_refused(unchecked, pairs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        unchecked("widgets.explorer").CorpusExplorer(pairs)


def test_its_text_counts_the_pairs_and_never_changes():
    widget = CorpusExplorer(some_pairs())
    widget.place, widget.phenomenon = 2, "agreement"
    assert repr(widget) == "CorpusExplorer(5 pairs)"
    assert repr(CorpusExplorer(some_pairs()[:1])) == "CorpusExplorer(1 pair)"


def test_the_picture_has_a_line_for_each_link_dashed_where_only_possible():
    pair = some_pairs()[0]
    picture = ElementTree.fromstring(link_picture.links_svg(pair))
    lines = [e for e in picture.iter() if "s2b-link" in e.get("class", "")]
    assert len(lines) == len(pair.possible)
    dashed = [line for line in lines if line.get("stroke-dasharray")]
    assert len(dashed) == len(pair.possible - pair.sure)
    texts = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*pair.source, *pair.target, "English", "French"]


def test_a_line_runs_from_the_middle_of_one_word_to_the_middle_of_the_other():
    pair = some_pairs()[4]
    place = link_picture.layout(pair.source, pair.target)
    picture = link_picture.links_svg(pair)
    ends = {
        (float(above), float(below))
        for above, below in re.findall(r"M([\d.]+) [\d.]+C[^\"]* ([\d.]+) [\d.]+\"", picture)
    }
    middles = {
        (place.source[link.source].middle, place.target[link.target].middle)
        for link in pair.possible
    }
    assert ends == middles


def test_the_table_names_every_link_with_its_places_and_its_kind():
    table = link_picture.links_table(some_pairs()[0])
    rows = re.findall(r"<tr>(.*?)</tr>", table)[1:]
    assert len(rows) == 9
    assert "<bdi>ne</bdi> (3)</th><td><bdi>not</bdi> (4)</td><td>sure" in rows[3]
    assert "<bdi>ne</bdi> (3)</th><td><bdi>does</bdi> (3)</td><td>possible" in rows[2]


def test_words_are_text_in_picture_and_table():
    pair = corpus.Pair(("<b>",), ("&",), frozenset(), frozenset({corpus.Link(0, 0)}))
    for text in (link_picture.links_svg(pair), link_picture.links_table(pair)):
        assert "<b>" not in text
        assert "&lt;b&gt;" in text
        assert "&amp;" in text


def test_the_live_view_stands_beside_the_still_one(built):
    widget = CorpusExplorer(some_pairs())
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {VIEW, "image/svg+xml", "text/html", "text/plain"}
    assert data["image/svg+xml"] in data["text/html"]
    assert link_picture.links_table(some_pairs()[0]) in data["text/html"]


def test_without_a_front_end_the_page_says_so(monkeypatch):
    monkeypatch.setattr(bundle, "script", lambda name: "")
    data, _ = CorpusExplorer(some_pairs())._repr_mimebundle_()
    assert VIEW not in data
    assert bundle.NOT_BUILT in data["text/html"]
