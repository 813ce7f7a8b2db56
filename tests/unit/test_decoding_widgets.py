"""The Python halves of BeamTree and Distribution: they answer what Python computes."""

import math
import re

import numpy as np
import pytest
import torch

from seq2bert import corpus, recurrent, tree_picture
from seq2bert.sampled import next_word
from seq2bert.sampling import top_k, top_p, with_temperature
from seq2bert.search_tree import grow
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import BeamTree, Distribution

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
EXAMPLES = {"one": corpus.translate(["the", "king", "sleeps", "."])}
SOURCE = ["the", "queen", "reads", "the", "zebra", "."]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return recurrent.with_attention(len(ENGLISH), len(FRENCH), recurrent.Sizes(8, 8, 6)).eval()


@pytest.fixture
def tree(model):
    return BeamTree({"small": model}, ENGLISH, FRENCH, EXAMPLES)


@pytest.fixture
def following(model):
    return Distribution({"small": model}, ENGLISH, FRENCH, EXAMPLES, {"one": ["le"]})


def memory_of(model, source):
    ids = torch.tensor([ENGLISH.encode(source)])
    return model.encode(ids, torch.ones_like(ids, dtype=torch.bool))


@torch.no_grad()
def test_the_tree_is_that_of_the_search(tree, model):
    message, buffers = tree.ask("tree", {"source": SOURCE, "width": 2})
    expected = grow(model, memory_of(model, SOURCE), FRENCH, 2)
    assert (message["type"], buffers) == ("answer", [])
    assert message["answer"]["found"] == list(expected.found)
    assert [
        (parent, FRENCH.encode([token])[0], kept)
        for parent, token, _, kept in message["answer"]["nodes"]
    ] == [(n.parent, n.token, int(n.kept)) for n in expected.nodes]
    for (_, _, log_prob, _), node in zip(message["answer"]["nodes"], expected.nodes, strict=True):
        assert log_prob == pytest.approx(node.log_prob, abs=1e-6)


def test_what_is_shown_is_read_back_as_a_tree(tree, model):
    with torch.no_grad():
        expected = grow(model, memory_of(model, SOURCE), FRENCH, 5)
    request = {"source": SOURCE, "width": 5}
    tree.shown = {"request": request, **tree.ask("tree", request)[0]}
    assert [(n.parent, n.step, n.token, n.finished) for n in tree.tree.nodes] == [
        (n.parent, n.step, n.token, n.finished) for n in expected.nodes
    ]


def test_the_penalty_ranks_the_results_without_a_new_search(tree):
    # "a b end" with log p -2, "c end" with -1.8
    nodes = [[-1, "le", -0.5, 1], [-1, "la", -0.9, 1], [0, "roi", -1.0, 1], [1, "<eos>", -1.8, 1]]
    answer = {"source": ["the"], "width": 2, "nodes": [*nodes, [2, "<eos>", -2.0, 1]]}
    tree.shown = {"request": {}, "answer": answer | {"found": [4, 3]}}
    tree.penalty = 0.0
    assert tree.results == [(("la",), -1.8), (("le", "roi"), -2.0)]
    tree.penalty = 1.0
    assert [words for words, _ in tree.results] == [("le", "roi"), ("la",)]
    assert [score for _, score in tree.results] == pytest.approx([-2 / 3, -0.9])


@torch.no_grad()
def test_the_next_word_is_distributed_as_the_model_says(following, model):
    message, (numbers,) = following.ask("next", {"source": SOURCE, "prefix": ["la", "reine"]})
    written = torch.tensor([[FRENCH.bos, *FRENCH.encode(["la", "reine"])]])
    ids = torch.tensor([ENGLISH.encode(SOURCE)])
    expected = model(ids, torch.ones_like(ids, dtype=torch.bool), written)[0][0, -1]
    assert message["answer"] == {"source": SOURCE, "prefix": ["la", "reine"]}
    assert np.frombuffer(numbers, "<f4") == pytest.approx(expected.numpy(), abs=1e-5)


def test_the_sliders_work_in_their_order(following, model):
    with torch.no_grad():
        said = next_word(model, memory_of(model, EXAMPLES["one"].source), FRENCH, ["le"])
    following.temperature, following.k, following.p = 0.5, 7, 0.6
    expected = top_p(top_k(with_temperature(said, 0.5), 7), 0.6)
    assert torch.allclose(following.distribution.exp(), expected.exp(), atol=1e-6)
    following.temperature, following.k, following.p = 1.0, 0, 1.0
    assert torch.allclose(following.distribution, said, atol=1e-5)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({}, "no sentence"),
        ({"source": ["the"] * 61}, "61 words"),
        ({"source": ["the"], "model": 3}, "no model 3"),
        ({"source": ["the"], "width": 6}, "width is 6"),
    ],
)
def test_what_the_tree_cannot_answer_is_refused_with_a_reason(tree, request_, said):
    message, _ = tree.ask("tree", request_)
    assert message["type"] == "refusal"
    assert said in message["message"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"source": "the king"}, "no sentence"),
        ({"source": ["the"], "prefix": ["zebra"]}, "zebra"),
        ({"source": ["the"], "prefix": ["le", "<eos>"]}, "nothing follows"),
        ({"source": ["the"], "prefix": ["le"] * 60}, "60 words"),
    ],
)
def test_what_the_distribution_cannot_answer_is_refused_with_a_reason(following, request_, said):
    message, _ = following.ask("next", request_)
    assert message["type"] == "refusal"
    assert said in message["message"]


@pytest.mark.parametrize(
    ("options", "said"),
    [({"width": 9}, "width is 9"), ({"length_penalty": 3}, "length_penalty is 3")],
)
def test_a_tree_that_cannot_be_made_is_refused(model, options, said):
    with pytest.raises(ValueError, match=said):
        BeamTree({"small": model}, ENGLISH, FRENCH, EXAMPLES, **options)


def test_a_beginning_of_no_example_is_refused(model):
    with pytest.raises(ValueError, match="'two'"):
        Distribution({"small": model}, ENGLISH, FRENCH, EXAMPLES, {"two": ["le"]})


def test_the_still_tree_holds_every_beginning_and_the_order_of_the_results(tree):
    data, _ = tree._repr_mimebundle_()
    html, svg = data["text/html"], data["image/svg+xml"]
    assert data["text/plain"] == "BeamTree(1 model, 1 example)"
    count = len(tree.answers[0]["nodes"])
    assert svg.count('class="s2b-node') == count
    assert html.count('<th scope="row">') == count
    listed = re.findall(r'class="s2b-button s2b-result">(.*?)</bdi>', html)
    assert listed == [" ".join(words) for words, _ in tree.results]
    assert svg.count("★") == 1
    dropped = sum(not kept for *_, kept in tree.answers[0]["nodes"])
    assert svg.count("✕") == dropped == html.count("<td>dropped</td>")


def test_the_still_distribution_holds_the_likeliest_words(following):
    data, _ = following._repr_mimebundle_()
    best = FRENCH.tokens[int(following.distribution.argmax())]
    first = re.search(r'<th scope="row"><bdi>(.*?)</bdi>.*?<span>([\d.]+) %', data["text/html"])
    assert first.group(1) == best
    p = math.exp(float(following.distribution.max()))
    assert float(first.group(2)) == pytest.approx(100 * p, abs=0.05)
    assert data["image/svg+xml"].count("<rect") == 21
    assert "Written so far: <bdi>le</bdi>" in data["text/html"]


def test_words_of_readers_stay_text(tree):
    answer = {"source": ["<b>"], "width": 1, "nodes": [[-1, "<i>", -1.0, 1]], "found": []}
    decoded = tree._decode(answer)
    assert "<i>" not in tree_picture.tree_svg(decoded, FRENCH)
    assert "<b>" not in tree_picture.figure_html(decoded, FRENCH, ["<b>"])
