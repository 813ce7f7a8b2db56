"""StepThrough's Python half: the kernel gives what Python gives, and the page what it needs."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from seq2bert import corpus, recurrent, runs
from seq2bert.encoder_decoder import EncoderDecoder, Sizes
from seq2bert.stepping import walk
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import StepThrough, still_steps

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
EXAMPLES = {
    name: corpus.translate(text.split())
    for name, text in {"short": "the king sleeps .", "longer": "the red car is old ."}.items()
}
STORED = "encoder_decoder.gru"


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return EncoderDecoder(len(ENGLISH), len(FRENCH), sizes=Sizes(8, 12)).eval()


@pytest.fixture
def widget(model):
    return StepThrough({"small": model}, ENGLISH, FRENCH, EXAMPLES)


def states_of(record, numbers):
    """The states of a record: rows of its width."""
    rows = len(record["source"]) + len(record["moments"])
    count = rows * record["hidden"]
    flat = np.frombuffer(numbers, "<f4", count, 4 * record["offset"])
    return flat.reshape(rows, record["hidden"])


def test_the_kernel_answers_what_python_computes(widget, model):
    source = ["the", "queen", "reads", "the", "zebra", "."]
    message, (numbers,) = widget.ask("steps", {"source": source, "prefix": ["la"]})
    expected = walk(model, source, ENGLISH, FRENCH, prefix=["la"])
    record = message["answer"]
    assert message["type"] == "answer"
    assert record["moments"][0]["written"][0] == "la"
    assert [m["written"][0] for m in record["moments"]] == [
        m.written.token for m in expected.moments
    ]
    both = torch.cat([expected.encoder, expected.decoder]).numpy()
    assert (states_of(record, numbers) == both).all()


def test_every_example_finds_its_states_among_all(widget, model):
    for record, pair in zip(widget.answers, EXAMPLES.values(), strict=True):
        expected = walk(model, pair.source, ENGLISH, FRENCH)
        both = torch.cat([expected.encoder, expected.decoder]).numpy()
        assert (states_of(record, widget.numbers) == both).all()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({}, "no sentence"),
        ({"source": ["the"] * 61}, "61 words"),
        ({"source": ["the"], "model": 3}, "no model 3"),
        ({"source": ["the"], "prefix": ["zebra"]}, "zebra"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(widget, question, said):
    message, buffers = widget.ask("steps", question)
    assert message["type"] == "refusal"
    assert said in message["message"]
    assert buffers == []


def test_a_translator_without_word_vectors_is_refused():
    other = recurrent.with_attention(len(ENGLISH), len(FRENCH), recurrent.Sizes(8, 8, 6))
    with pytest.raises(ValueError, match="expected an EncoderDecoder"):
        StepThrough({"other": other}, ENGLISH, FRENCH, EXAMPLES)


def test_the_page_gets_the_vectors_of_stored_models_and_of_no_others(model):
    recorded = EncoderDecoder(len(ENGLISH), len(FRENCH))
    runs.load_weights(recorded, STORED)
    both = {"small": model, "recorded": recorded}
    widget = StepThrough(both, ENGLISH, FRENCH, EXAMPLES, stored={"recorded": STORED})
    assert widget.heads == [{}, {"offset": 0, "width": 64}]
    sent = np.frombuffer(widget.vectors, "<f2").reshape(len(FRENCH), 64)
    # half precision loses nothing: the stored weights are in it
    assert (sent.astype("float32") == recorded.word_vectors.detach().numpy()).all()


def test_its_repr_is_short_and_its_still_picture_shows_the_walk(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == "StepThrough(1 model, 2 examples)"
    assert data["image/svg+xml"].startswith("<svg")
    assert "the king sleeps ." in data["text/html"]
    assert "<bdi>sleeps</bdi>" in data["text/html"]


def test_the_table_has_a_row_for_each_step(model):
    found = walk(model, EXAMPLES["short"].source, ENGLISH, FRENCH, prefix=["le", "roi", "<eos>"])
    rows = re.findall(r'<th scope="row">([^<]+)</th>', still_steps.table_html(found))
    assert rows == [f"encoder {n}" for n in range(1, 5)] + [f"decoder {n}" for n in range(1, 4)]


def test_what_the_front_end_shows_reaches_python(widget):
    message, (numbers,) = widget.ask("steps", {"source": ["the", "queen", "sleeps", "."]})
    shown = {"request": {}, "text": "", "answer": message["answer"]}
    widget.set_state({"shown": shown, "shown_numbers": memoryview(numbers), "position": 3})
    assert widget.shown["answer"]["source"] == ["the", "queen", "sleeps", "."]
    assert widget.shown_numbers == numbers
    assert widget.position == 3


def test_the_browser_keeps_as_many_words_and_folds_as_python_does():
    folder = Path(__file__).parents[2] / "book" / "frontend" / "src"
    steps = (folder / "engines/browser/answers/steps.ts").read_text(encoding="utf8")
    strips = (folder / "widgets/stepthrough/strips.ts").read_text(encoding="utf8")
    assert re.findall(r"const WORDS = (\d+)", steps) == ["8"]
    assert re.findall(r"const ACROSS = (\d+)", strips) == ["64"]
