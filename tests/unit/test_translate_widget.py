"""Translate's Python half: the kernel gives what Python gives, and refuses in plain words."""

import inspect
import json
import re
from pathlib import Path

import pytest
import torch

from seq2bert import corpus, recurrent, tracing
from seq2bert.tracing import trace
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import Translate
from seq2bert.widgets.stored import decode_maps
from seq2bert.widgets.translating import WIDTHS

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
EXAMPLES = {"one": corpus.translate(["the", "king", "sleeps", "."])}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return recurrent.with_attention(len(ENGLISH), len(FRENCH), recurrent.Sizes(8, 8, 6)).eval()


@pytest.fixture
def widget(model):
    return Translate({"small": model}, ENGLISH, FRENCH, EXAMPLES)


def test_the_kernel_answers_what_python_computes(widget, model):
    source = ["the", "queen", "reads", "the", "zebra", "."]
    message, (weights,) = widget.ask("translate", {"source": source, "width": 2, "prefix": ["la"]})
    expected = trace(model, source, ENGLISH, FRENCH, prefix=["la"], width=2)
    assert message["type"] == "answer"
    assert [step["token"] for step in message["answer"]["steps"]] == [
        step.token for step in expected.steps
    ]
    (found,) = decode_maps([message["map"]], weights).values()
    assert (found.weights == expected.attention["cross"].numpy()).all()
    assert found.key_tokens == tuple(source)


def test_gold_comes_with_sentences_of_the_language_and_with_no_others(widget):
    known, _ = widget.ask("translate", {"source": ["the", "king", "sleeps", "."]})
    assert known["answer"]["gold"]["target"] == ["le", "roi", "dort", "."]
    unknown, _ = widget.ask("translate", {"source": ["king", "the", "sleeps"]})
    assert unknown["answer"]["gold"] is None


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({}, "no sentence"),
        ({"source": []}, "no sentence"),
        ({"source": "the king"}, "no sentence"),
        ({"source": ["the"] * 61}, "61 words"),
        ({"source": ["the"], "model": 3}, "no model 3"),
        ({"source": ["the"], "width": 5}, "the width is 5"),
        ({"source": ["the"], "temperature": 0}, "temperature is 0"),
        ({"source": ["the"], "prefix": ["zebra"]}, "zebra"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(widget, request_, said):
    message, buffers = widget.ask("translate", request_)
    assert message["type"] == "refusal"
    assert said in message["message"]
    assert buffers == []


def test_what_a_learner_s_model_raises_reaches_the_learner(widget, model, monkeypatch):
    monkeypatch.setattr(model, "start", lambda memory: 1 / 0)
    message, _ = widget.ask("translate", {"source": ["the"]})
    assert "ZeroDivisionError" in message["message"]


def test_messages_carry_their_number_back(widget, monkeypatch):
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    widget._hear(widget, {"type": "hello", "id": "a"}, [])
    widget._hear(widget, {"type": "translate", "id": "b", "request": {"source": ["the"]}}, [])
    widget._hear(widget, "nonsense", [])
    assert [(message["type"], message["id"]) for message in sent] == [
        ("hello", "a"),
        ("answer", "b"),
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": {}}, "models is empty"),
        ({"models": {"x": torch.nn.Linear(2, 2)}}, "expected a translator"),
        ({"examples": {}}, "examples is empty"),
        ({"stored": {"other": "bahdanau.query-with-word"}}, "not among the models"),
        ({"stored": {"small": "nothing"}}, "make graphs"),
    ],
)
def test_bad_arguments_are_named(model, changes, said):
    given = {"models": {"small": model}, "examples": EXAMPLES, "stored": None} | changes
    with pytest.raises(ValueError, match=said):
        Translate(given["models"], ENGLISH, FRENCH, given["examples"], stored=given["stored"])


def test_its_repr_is_short_and_its_still_picture_shows_the_translation(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == "Translate(1 model, 1 example)"
    assert "the king sleeps ." in data["text/html"]
    assert data["text/html"].count("<svg") >= 1
    assert widget.attention.key_tokens == ("the", "king", "sleeps", ".")


def test_what_the_front_end_shows_reaches_python(widget):
    """As ipywidgets hands it over: the weights as a memoryview."""
    message, (weights,) = widget.ask("translate", {"source": ["the", "queen", "sleeps", "."]})
    shown = {"request": {}, "text": "", "answer": message["answer"], "map": message["map"]}
    widget.set_state({"shown": shown, "shown_weights": memoryview(weights), "query": 1})
    assert widget.source == ("the", "queen", "sleeps", ".")
    assert widget.attention.key_tokens == widget.source
    assert widget.query == 1


def test_a_learner_s_own_truth_may_fail_and_modes_are_left_as_they_were(model):
    widget = Translate({"m": model}, ENGLISH, FRENCH, EXAMPLES, gold=lambda source: 1 / 0)
    message, _ = widget.ask("translate", {"source": ["the", "king"]})
    assert message["type"] == "answer"
    assert message["answer"]["gold"] is None
    model.train()
    model.encoder.eval()
    try:
        widget.ask("translate", {"source": ["the", "king"]})
        assert model.training
        assert not model.encoder.training
    finally:
        model.eval()


def test_the_choices_and_limits_of_the_front_end_are_those_of_python():
    folder = Path(__file__).parents[2] / "book" / "frontend" / "src"
    texts = [
        (folder / file).read_text(encoding="utf8")
        for file in (
            "shared/sentence.ts",
            "widgets/translate/request.ts",
            "engines/browser/answers/translate.ts",
        )
    ]

    def constant(name):
        (value,) = re.findall(rf"const {name} = (.+?)(?: as const)?;", "\n".join(texts))
        return json.loads(value)

    assert tuple(constant("WIDTHS")) == WIDTHS
    assert constant("LONGEST_SOURCE") == tracing.LONGEST_SOURCE
    assert constant("LONGEST_TARGET") == tracing.LONGEST_TARGET
    usual = inspect.signature(tracing.trace).parameters["alternatives"].default
    assert constant("ALTERNATIVES") == usual
