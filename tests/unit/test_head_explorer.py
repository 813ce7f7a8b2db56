"""The head explorer's Python half: what a switch does to a translation and to a count."""

import json
import re
from xml.etree import ElementTree

import heads_fixture
import numpy as np
import pytest
import torch

from seq2bert import corpus, encoder_decoder, recurrent
from seq2bert.decoding import greedy
from seq2bert.tracing import trace
from seq2bert.transformer import Sizes, Transformer
from seq2bert.translator import Interventions
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import HeadExplorer
from seq2bert.widgets.stored import decode_maps

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
PAIR = corpus.translate(["the", "king", "sleeps", "."])
EXAMPLES = {"one": PAIR, "two": corpus.translate(["the", "queen", "does", "not", "sleep", "."])}
SOURCE = ["the", "queen", "reads", "the", "zebra", "."]
MASK = {"cross": [[1, 0], [0, 0]], "encoder": [[0, 1], [1, 1]]}


class Pair:
    """A sentence with a reference that a test chooses."""

    def __init__(self, source, target):
        self.source, self.target = tuple(source), tuple(target)


@pytest.fixture(scope="module")
def model():
    """Random, but with a leaning to `<eos>` that lets half of its sentences come to an end."""
    torch.manual_seed(2)
    sizes = Sizes(16, 2, 16, 2, word_scale=1.0)
    made = Transformer(len(ENGLISH), len(FRENCH), sizes).eval()
    with torch.no_grad():
        made.output_bias[FRENCH.eos] = 8.0
    return made


@pytest.fixture(scope="module")
def held_out(model):
    """Pairs of which the random model gets exactly two of three right, all heads on."""
    sources = [pair.source for pair in corpus.pairs("valid", 40)]
    done = [one for one in greedy(model, sources, ENGLISH, FRENCH) if one.finished and one.tokens]
    first, second, third = done[:3]
    wrong = (*third.tokens, "roi")
    references = [first.tokens, second.tokens, wrong]
    return [Pair(one.source, tokens) for one, tokens in zip(done, references, strict=False)]


@pytest.fixture
def widget(model, held_out):
    return HeadExplorer(model, ENGLISH, FRENCH, EXAMPLES, held_out)


def tensors(mask):
    return {kind: torch.tensor(rows, dtype=torch.float32) for kind, rows in mask.items()}


def test_every_kind_of_attention_comes_with_its_own_tokens(widget, model):
    message, (weights,) = widget.ask("heads", {"source": SOURCE, "head_mask": MASK})
    expected = trace(model, SOURCE, ENGLISH, FRENCH, interventions=Interventions(tensors(MASK)))
    maps = decode_maps(message["maps"], weights)
    assert list(maps) == ["encoder", "decoder", "cross"]
    for kind, found in maps.items():
        assert np.array_equal(found.weights, expected.attention[kind].numpy())
        assert (found.query_tokens, found.key_tokens) == (
            expected.map(kind).query_tokens,
            expected.map(kind).key_tokens,
        )


def test_both_translations_come_with_the_answer(widget, model):
    message, _ = widget.ask("heads", {"source": SOURCE, "head_mask": MASK})
    without = trace(model, SOURCE, ENGLISH, FRENCH, interventions=Interventions(tensors(MASK)))
    whole = trace(model, SOURCE, ENGLISH, FRENCH)
    assert [step["token"] for step in message["answer"]["steps"]] == [
        step.token for step in without.steps
    ]
    assert tuple(message["whole"]) == whole.tokens
    assert without.tokens != whole.tokens


def test_the_held_out_sentences_that_come_out_exactly_right_are_counted(widget):
    assert widget.accuracy == {"right": 2, "whole": 2, "total": 3, "off": []}


def test_the_count_with_heads_off_is_that_of_greedy_decoding_sentence_by_sentence(
    widget, model, held_out
):
    everything = {kind: torch.zeros(2, 2) for kind in ("encoder", "decoder", "cross")}
    alone = [
        greedy(model, [one.source], ENGLISH, FRENCH, interventions=Interventions(everything))[0]
        for one in held_out
    ]
    right = sum(
        one.finished and one.tokens == pair.target
        for one, pair in zip(alone, held_out, strict=True)
    )
    request = {"head_mask": {kind: mask.tolist() for kind, mask in everything.items()}}
    message, _ = widget.ask("accuracy", request)
    assert message == {"type": "answer", "right": right, "whole": 2, "total": 3}
    assert right < 2


def test_a_sentence_that_has_not_ended_is_not_right(model, held_out):
    cut = [Pair(one.source, one.target[:-1]) for one in held_out if len(one.target) > 1]
    widget = HeadExplorer(model, ENGLISH, FRENCH, EXAMPLES, cut[:1])
    assert widget.accuracy["right"] == 0


def test_switches_set_from_python_are_factors_of_0(widget):
    widget.off = [["cross", 0, 1], ("encoder", 1, 0), ["cross", 0, 1]]
    assert widget.off == [["cross", 0, 1], ["encoder", 1, 0]]
    assert widget.head_mask["cross"].tolist() == [[1, 0], [1, 1]]
    assert widget.head_mask["encoder"].tolist() == [[1, 1], [0, 1]]
    assert widget.head_mask["decoder"].tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("head", [["cross", 2, 0], ["cross", 0, -1], ["self", 0, 0], ["cross", 0]])
def test_a_head_that_is_not_there_cannot_be_switched(widget, head):
    with pytest.raises(ValueError, match="off holds"):
        widget.off = [head]


@pytest.mark.parametrize(
    ("trait", "value", "said"),
    [("kind", "self", "this model has"), ("layer", 2, "layer is 2"), ("head", -1, "head is -1")],
)
def test_only_a_head_that_is_there_can_be_enlarged(widget, trait, value, said):
    with pytest.raises(ValueError, match=said):
        setattr(widget, trait, value)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"source": []}, "no sentence"),
        ({"source": ["the"] * 61}, "61 words"),
        ({"source": ["the"], "head_mask": {"self": [[1]]}}, "no attention 'self'"),
        ({"source": ["the"], "head_mask": {"cross": [[1, 1]]}}, r"shape \(1, 2\)"),
        ({"source": ["the"], "head_mask": {"cross": [1, 1]}}, "a list for each layer"),
        ({"source": ["the"], "head_mask": {"cross": [["a"]]}}, "a list for each layer"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(widget, request_, said):
    message, buffers = widget.ask("heads", request_)
    assert message["type"] == "refusal"
    assert re.search(said, message["message"])
    assert buffers == []


def test_a_count_of_heads_that_are_not_there_is_refused(widget):
    message, _ = widget.ask("accuracy", {"head_mask": {"cross": [[1]]}})
    assert message["type"] == "refusal"
    assert "shape (1, 1)" in message["message"]


def test_what_the_front_end_shows_reaches_python(widget):
    """As ipywidgets hands it over: the weights as a memoryview."""
    message, (weights,) = widget.ask("heads", {"source": SOURCE, "head_mask": MASK})
    shown = {name: message[name] for name in ("answer", "whole", "maps")} | {"text": "", "off": []}
    widget.set_state(
        {"shown": shown, "shown_weights": memoryview(weights), "kind": "encoder", "query": 1}
    )
    assert widget.source == tuple(SOURCE)
    assert widget.attention.key_tokens == tuple(SOURCE)
    assert widget.attention.kind == "encoder"


def test_gold_lies_over_cross_attention_where_the_reference_was_written(widget):
    message, (weights,) = widget.ask("heads", {"source": list(PAIR.source)})
    message["answer"]["steps"] = [{"token": token} for token in (*PAIR.target, "<eos>")]
    found = trace(widget._models[0], PAIR.source, ENGLISH, FRENCH, prefix=[*PAIR.target, "<eos>"])
    records, weights = heads_fixture.encode_maps({"cross": found.map("cross")})
    shown = {"answer": message["answer"], "whole": [], "maps": records, "text": "", "off": []}
    widget.set_state({"shown": shown, "shown_weights": memoryview(weights)})
    assert widget.attention.sure == PAIR.sure


def test_a_model_with_one_kind_of_attention_is_shown_too(held_out):
    torch.manual_seed(0)
    one = recurrent.with_attention(len(ENGLISH), len(FRENCH), recurrent.Sizes(8, 8, 6)).eval()
    widget = HeadExplorer(one, ENGLISH, FRENCH, EXAMPLES, held_out)
    assert repr(widget) == "HeadExplorer(cross 1 x 1, 2 examples)"
    message, _ = widget.ask("heads", {"source": SOURCE, "head_mask": {"cross": [[0]]}})
    assert message["type"] == "answer"


def test_a_model_without_attention_has_no_heads(held_out):
    sizes = encoder_decoder.Sizes(8, 8)
    fixed = encoder_decoder.EncoderDecoder(len(ENGLISH), len(FRENCH), sizes=sizes).eval()
    with pytest.raises(ValueError, match="no attention"):
        HeadExplorer(fixed, ENGLISH, FRENCH, EXAMPLES, held_out)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": torch.nn.Linear(2, 2)}, "expected a translator"),
        ({"examples": {}}, "examples is empty"),
        ({"held_out": []}, "0 held-out pairs"),
        ({"held_out": [PAIR] * 201}, "201 held-out pairs"),
        ({"held_out": [Pair([], ["roi"])]}, "held-out pair 0 has 0 words"),
        ({"stored": "nothing"}, "make graphs"),
    ],
)
def test_bad_arguments_are_named(model, held_out, changes, said):
    given = {"model": model, "examples": EXAMPLES, "held_out": held_out, "stored": None} | changes
    with pytest.raises(ValueError, match=said):
        HeadExplorer(
            given["model"],
            ENGLISH,
            FRENCH,
            given["examples"],
            given["held_out"],
            stored=given["stored"],
        )


def test_training_mode_is_left_as_it_was(widget, model):
    model.train()
    try:
        widget.ask("accuracy", {"head_mask": MASK})
        assert model.training
    finally:
        model.eval()


def test_its_repr_is_short_and_its_still_picture_shows_all_heads(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == (
        "HeadExplorer(encoder 2 x 2, decoder 2 x 2, cross 2 x 2, 2 examples)"
    )
    picture = ElementTree.fromstring(data["image/svg+xml"])
    assert len(picture.findall("{*}svg")) == 12
    page = data["text/html"]
    # the heads of the kind that is shown; all heads stand in the table
    assert page.count('class="s2b-open"') == 4
    assert page.count("<td>on</td>") == 12
    assert "All 12 heads are on." in page
    assert "Held-out sentences: 2 of 3 right with all heads." in page


def test_an_enlarged_head_stands_in_the_still_picture(widget):
    widget.kind, widget.layer, widget.head = "decoder", 1, 0
    page = widget._repr_mimebundle_()[0]["text/html"]
    assert '<span class="s2b-title">Decoder self-attention</span>' in page
    assert "Layer 2 of 2" in page
    assert page.count("s2b-head s2b-chosen") == 1


def test_words_are_shown_as_text(model, held_out):
    pair = Pair(["<b>bold</b>"], ["roi"])
    widget = HeadExplorer(model, ENGLISH, FRENCH, {"<i>": pair, "two": PAIR}, held_out, gold=None)
    data, _ = widget._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    for kind in ("text/html", "image/svg+xml"):
        assert "<b>" not in data[kind]
        assert "<i>" not in data[kind]


def test_the_fixture_of_the_front_end_is_what_python_says():
    written = heads_fixture.PATH.read_text(encoding="utf8")
    assert json.loads(written) == json.loads(heads_fixture.as_text()), (
        "run python tests/unit/heads_fixture.py"
    )
