"""The comparison's Python half: the same rows for all, its still picture, its questions."""

from xml.etree import ElementTree

import compare_fixture
import numpy as np
import pytest
import torch

from seq2bert import corpus, recurrent, thumbnails, transformer
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS
from seq2bert.attention_map import AttentionMap
from seq2bert.batching import make_batches
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import Compare, still_compare
from seq2bert.widgets.still_compare import Compared
from seq2bert.widgets.stored import decode_maps

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
PAIR = corpus.translate(["the", "king", "sleeps", "."])
EXAMPLES = {"one": PAIR, "two": corpus.translate(["the", "queen", "does", "not", "sleep", "."])}
KINDS = {"soft": masked_softmax, "sparse": sparsemax, "each": masked_sigmoid}


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(0)
    sizes = Sizes(6, 8)
    return {
        title: LuongTranslator(len(ENGLISH), len(FRENCH), MAKERS["dot"](8, 8, 4), g, sizes).eval()
        for title, g in KINDS.items()
    }


@pytest.fixture
def widget(models):
    return Compare(models, ENGLISH, FRENCH, EXAMPLES)


def test_every_model_is_made_to_write_the_reference(widget, models):
    """Row for row what teacher forcing gives."""
    (batch,) = make_batches([PAIR], ENGLISH, FRENCH, 1)
    for one in widget.compared:
        assert one.attention.query_tokens == (*PAIR.target, EOS)
        with torch.no_grad():
            _, attention = models[one.title](batch.source, batch.source_mask, batch.target_in)
        expected = attention["cross"][0, 0, 0]
        assert torch.allclose(torch.tensor(one.attention.weights[0, 0]), expected, atol=1e-6)
        assert one.attention.sure == PAIR.sure


def test_weights_that_do_not_sum_to_1_are_said_to_be_such(widget):
    normalised = {one.title: one.attention.normalised for one in widget.compared}
    assert normalised == {"soft": True, "sparse": True, "each": False}
    message, _ = widget.ask("translate", {"source": list(PAIR.source), "model": 2})
    assert message["map"]["normalised"] is False


def test_what_a_model_writes_by_itself_is_kept_beside(widget):
    for place, title in enumerate(KINDS):
        message, _ = widget.ask("translate", {"source": list(PAIR.source), "model": place})
        tokens = [step["token"] for step in message["answer"]["steps"]]
        assert list(widget.translations[title]) == [t for t in tokens if t != EOS]


def test_a_model_that_writes_the_reference_is_right_and_its_error_is_computed():
    sharp, soft, _, alone, _, no_links = compare_fixture.compared()
    assert (sharp.right, sharp.error) == (True, 0.0)
    # of the rows le, chat, dort the first looks at cat: 2 of 3 links, |S| = 3
    assert soft.right is False
    assert soft.error == pytest.approx(1 - 4 / 6)
    assert (alone.right, alone.error) == (None, None)
    assert (no_links.right, no_links.error) == (True, None)


def test_the_state_holds_a_map_for_each_example_and_model(widget):
    assert len(widget.maps) == len(widget.written) == 6
    assert len({record["title"] for record in widget.maps}) == 6
    found = decode_maps(widget.maps, widget.weights)
    assert found["two: each"].key_tokens == EXAMPLES["two"].source


def test_what_the_front_end_shows_reaches_python(widget):
    """As ipywidgets hands it over: the weights as a memoryview."""
    source = ["the", "zebra"]
    entries, runs, offset = [], b"", 0
    for place in range(3):
        message, (weights,) = widget.ask("translate", {"source": source, "model": place})
        written = [step["token"] for step in message["answer"]["steps"]]
        record = message["map"] | {"offset": offset}
        entries.append({"written": written, "reference": None, "map": record})
        runs += weights
        offset = len(runs) // 4
    shown = {"source": source, "text": "the zebra", "entries": entries, "faults": [None] * 3}
    widget.set_state({"shown": shown, "shown_weights": memoryview(runs), "chosen": 2})
    assert widget.source == ("the", "zebra")
    assert widget.attention.key_tokens == ("the", "zebra")
    assert widget.errors == dict.fromkeys(KINDS)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"source": []}, "no sentence"),
        ({"source": ["the"] * 61}, "61 words"),
        ({"source": ["the"], "model": 3}, "no model 3"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(widget, request_, said):
    message, _ = widget.ask("translate", request_)
    assert message["type"] == "refusal"
    assert said in message["message"]


def test_a_sentence_with_more_words_than_places_is_refused_by_the_energy(models):
    torch.manual_seed(0)
    few = MAKERS["location"](8, 8, 4)
    few.weight = torch.nn.Parameter(few.weight[:5].detach())
    model = LuongTranslator(len(ENGLISH), len(FRENCH), few, masked_softmax, Sizes(6, 8))
    widget = Compare({"location": model}, ENGLISH, FRENCH, {"one": PAIR})
    message, _ = widget.ask("translate", {"source": ["the"] * 6})
    assert message["type"] == "refusal"
    assert "6 keys, but the matrix knows only 5 places" in message["message"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": {}}, "models is empty"),
        ({"models": {"x": torch.nn.Linear(2, 2)}}, "expected a translator"),
        ({"examples": {}}, "examples is empty"),
        ({"stored": {"other": "bahdanau.query-with-word"}}, "not among the models"),
        ({"stored": {"soft": "nothing"}}, "make graphs"),
    ],
)
def test_bad_arguments_are_named(models, changes, said):
    given = {"models": models, "examples": EXAMPLES, "stored": None} | changes
    with pytest.raises(ValueError, match=said):
        Compare(given["models"], ENGLISH, FRENCH, given["examples"], stored=given["stored"])


def test_only_a_model_that_is_there_can_be_chosen(widget):
    widget.chosen = 2
    with pytest.raises(ValueError, match="chosen is 3"):
        widget.chosen = 3


def test_its_repr_is_short_and_its_still_picture_shows_all_models(widget):
    widget.chosen = 1
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == "Compare(3 models, 2 examples)"
    picture = ElementTree.fromstring(data["image/svg+xml"])
    assert len(picture.findall("{*}svg")) == 3
    assert [text.text for text in picture.findall("{*}text")][::2] == list(KINDS)
    page = data["text/html"]
    assert page.count('<li class="s2b-thumb') == 3
    assert "“le roi dort .”" in page
    assert '<span class="s2b-control">sparse</span>' in page
    # a row for each model, and one for each word of the large picture
    assert page.count('<th scope="row">') == 3 + 5


def test_titles_and_words_are_shown_as_text(models):
    titles = {"<b>bold</b>": models["soft"]}
    data, _ = Compare(titles, ENGLISH, FRENCH, {"<i>": PAIR})._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    for kind in ("text/html", "image/svg+xml"):
        assert "<b>" not in data[kind]
        assert "<i>" not in data[kind]


def test_a_gallery_without_cards_is_refused():
    with pytest.raises(ValueError, match="cards is empty"):
        thumbnails.gallery_svg([], "nothing")


def test_the_fixture_of_the_front_end_is_what_python_says():
    written = compare_fixture.PATH.read_text(encoding="utf8")
    assert written == compare_fixture.as_text(), "run python tests/unit/compare_fixture.py"


# --- several heads, and none ---------------------------------------------------------------------

BEST = (1, 2)


@pytest.fixture(scope="module")
def three():
    torch.manual_seed(0)
    sizes = recurrent.Sizes(6, 8, 4)
    heads = transformer.Sizes(width=12, heads=3, hidden=8, layers=2)
    return {
        "fixed": recurrent.without_attention(len(ENGLISH), len(FRENCH), sizes).eval(),
        "one": recurrent.with_attention(len(ENGLISH), len(FRENCH), sizes).eval(),
        "many": transformer.Transformer(len(ENGLISH), len(FRENCH), heads).eval(),
    }


@pytest.fixture
def mixed(three):
    return Compare(three, ENGLISH, FRENCH, EXAMPLES, heads={"many": BEST})


def cross(model):
    """The attention of all heads while the reference is written."""
    (batch,) = make_batches([PAIR], ENGLISH, FRENCH, 1)
    with torch.no_grad():
        _, attention = model(batch.source, batch.source_mask, batch.target_in)
    return attention["cross"][0]


def test_the_mean_of_all_heads_is_drawn_until_the_best_is_asked_for(mixed, three):
    weights = cross(three["many"])
    for draws, expected in (("mean", weights.mean(dim=(0, 1))), ("best", weights[BEST])):
        mixed.draws = draws
        drawn = mixed.compared[2].drawn
        assert drawn.shape[:2] == (1, 1)
        assert torch.allclose(torch.tensor(drawn.head()), expected, atol=1e-6)


def test_the_error_is_that_of_what_is_drawn(mixed):
    _, one, many = mixed.compared
    links = {link for link in many.drawn.argmax() if link[0] < len(PAIR.target)}
    hits = len(links & PAIR.sure) + len(links & (PAIR.possible | PAIR.sure))
    assert mixed.errors["many"] == pytest.approx(1 - hits / (len(links) + len(PAIR.sure)))
    before = mixed.errors
    mixed.draws = "best"
    assert mixed.errors["one"] == before["one"] == one.error
    sharp = np.zeros((2, 1, 2, 2), dtype=np.float32)
    sharp[0, 0] = [[0.8, 0.2], [0.8, 0.2]]
    sharp[1, 0] = [[0.4, 0.6], [0.1, 0.9]]
    given = AttentionMap(
        sharp, ("le", "roi"), ("the", "king"), "cross", frozenset({(0, 0), (1, 1)})
    )
    words = ("le", "roi")
    mean, best = (Compared("x", given.key_tokens, words, words, given, h) for h in (None, (1, 0)))
    # the mean rows are .6 .4 and .45 .55; the best head's are .4 .6 and .1 .9
    assert (mean.error, best.error) == (0.0, 0.5)


def test_a_model_without_attention_has_no_map_and_no_error(mixed):
    fixed = mixed.compared[0]
    assert (fixed.attention, fixed.drawn, fixed.error) == (None, None, None)
    assert fixed.written == mixed.translations["fixed"]
    assert len(mixed.maps) == 4
    assert [model.get("attention", True) for model in mixed.models] == [False, True, True]
    assert mixed.attention is None


def test_asked_without_attention_it_answers_without_a_map(mixed):
    message, buffers = mixed.ask("translate", {"source": list(PAIR.source), "model": 0})
    assert message["type"] == "answer"
    assert message["map"] is None
    assert buffers == []


def test_all_heads_reach_the_front_end(mixed, three):
    request = {"source": list(PAIR.source), "model": 2, "prefix": [*PAIR.target, EOS]}
    message, (weights,) = mixed.ask("translate", request)
    (found,) = decode_maps([message["map"]], weights).values()
    assert found.shape[:2] == (2, 3)
    assert torch.allclose(torch.tensor(found.weights), cross(three["many"]), atol=1e-6)


def test_what_the_front_end_shows_of_all_three_reaches_python(mixed):
    source = ["the", "zebra"]
    entries, runs = [], b""
    for place in range(3):
        message, buffers = mixed.ask("translate", {"source": source, "model": place})
        written = [step["token"] for step in message["answer"]["steps"]]
        entry = {"written": written, "reference": None, "map": message["map"]}
        if message["map"] is None:
            entry["source"] = source
        else:
            entry["map"] |= {"offset": len(runs) // 4}
            runs += buffers[0]
        entries.append(entry)
    shown = {"source": source, "text": "the zebra", "entries": entries, "faults": [None] * 3}
    mixed.set_state({"shown": shown, "shown_weights": memoryview(runs), "draws": "best"})
    fixed, one, many = mixed.compared
    assert [found.source for found in (fixed, one, many)] == [("the", "zebra")] * 3
    assert fixed.attention is None
    assert many.attention.shape[:2] == (2, 3)
    assert still_compare.drawn_note(many) == "layer 2, head 3"
    ElementTree.fromstring(mixed._repr_mimebundle_()[0]["image/svg+xml"])


def test_what_is_usual_is_stored_as_before(widget):
    """Chapter 2.2 keeps its stored form: nothing is said of models with one head."""
    assert all(set(model) == {"title", "stored"} for model in widget.models)
    page = widget._repr_mimebundle_()[0]["text/html"]
    assert "only head" not in page
    assert '<span class="s2b-control"><span>Heads' not in page


@pytest.mark.parametrize("chosen", [0, 2])
def test_the_still_picture_says_what_is_drawn_and_of_whom_there_is_nothing(mixed, chosen):
    mixed.chosen = chosen
    data, _ = mixed._repr_mimebundle_()
    picture = ElementTree.fromstring(data["image/svg+xml"])
    assert len(picture.findall("{*}svg")) == 2
    said = " ".join(text.text for text in picture.findall("{*}text"))
    assert "No attention" in said
    assert "mean of 6 heads" in said
    page = data["text/html"]
    assert page.count('<span class="s2b-thumb-none">') == 1
    assert "The models with attention were made to write" in page
    assert "best head" in page
    assert ("There is no picture of fixed" in page) == (chosen == 0)
    assert ("many, mean of 6 heads" in page) == (chosen == 2)


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        ({"other": (0, 0)}, "not among the models"),
        ({"fixed": (0, 0)}, "no cross-attention"),
        ({"many": (2, 0)}, "2 layers of 3 heads"),
        ({"many": (0,)}, "expected .layer, head."),
    ],
)
def test_a_head_that_does_not_exist_is_named(three, heads, said):
    with pytest.raises(ValueError, match=said):
        Compare(three, ENGLISH, FRENCH, {"one": PAIR}, heads=heads)


def test_only_the_mean_or_the_best_is_drawn(mixed):
    with pytest.raises(ValueError, match="draws is 'worst'; expected one of mean, best"):
        mixed.draws = "worst"
