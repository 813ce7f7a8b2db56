"""Writing with any rule: against greedy decoding, against listed probabilities, and its lengths."""

import math
from collections import Counter

import pytest
import torch

from seq2bert import exact, recurrent
from seq2bert.decoding import greedy
from seq2bert.sampled import write
from seq2bert.sampling import sample, top_k, top_p, with_temperature
from seq2bert.table_model import TableModel
from seq2bert.vocabulary import Vocabulary

SOURCE, TARGET = Vocabulary("abcde"), Vocabulary("xyz")
SENTENCES = [list("abc"), list("e"), list("ddba"), list("cabed")]


def likeliest(log_probs):
    return log_probs.argmax(-1)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    return recurrent.with_attention(len(SOURCE), len(TARGET), recurrent.Sizes(8, 8, 6)).eval()


@pytest.fixture(scope="module")
def table():
    words = Vocabulary(["a", "b"])
    return TableModel.of(
        {"<bos>": {"a": 0.7, "b": 0.3}, "a": {"b": 0.5, "a": 0.2, "<eos>": 0.3}, "b": {"<eos>": 1}},
        words,
    ), words


@pytest.mark.parametrize("limit", [1, 4, 60])
def test_the_likeliest_word_each_time_is_greedy_decoding(model, limit):
    expected = greedy(model, SENTENCES, SOURCE, TARGET, limit)
    for found, wanted in zip(
        write(model, SENTENCES, SOURCE, TARGET, likeliest, limit), expected, strict=True
    ):
        assert (found.tokens, found.finished) == (wanted.tokens, wanted.finished)
        assert found.log_prob == pytest.approx(wanted.log_prob, abs=1e-5)
        assert torch.allclose(found.attention["cross"], wanted.attention["cross"], atol=1e-6)


@pytest.mark.parametrize(
    "rule",
    [
        lambda x: sample(with_temperature(x, 0)),
        lambda x: sample(top_k(x, 1)),
        lambda x: sample(top_p(x, 1e-9)),
    ],
)
def test_each_rule_has_greedy_decoding_as_its_limit(model, rule):
    expected = [t.tokens for t in greedy(model, SENTENCES, SOURCE, TARGET, 8)]
    assert [t.tokens for t in write(model, SENTENCES, SOURCE, TARGET, rule, 8)] == expected


def test_a_fixed_rule_gives_the_same_alone_and_in_a_batch(model):
    together = write(model, SENTENCES, SOURCE, TARGET, likeliest, 9)
    for sentence, found in zip(SENTENCES, together, strict=True):
        (alone,) = write(model, [sentence], SOURCE, TARGET, likeliest, 9)
        assert (alone.tokens, alone.finished) == (found.tokens, found.finished)
        assert alone.log_prob == pytest.approx(found.log_prob, abs=1e-5)


RULES = {
    "as it is": lambda x: x,
    "temperature": lambda x: with_temperature(x, 0.5),
    "top k": lambda x: top_k(x, 2),
    "top p": lambda x: top_p(x, 0.6),
}


@pytest.mark.parametrize("name", RULES)
def test_what_is_drawn_follows_the_listed_probabilities(table, name):
    model, words = table
    change, count, limit = RULES[name], 10_000, 3
    memory = model.encode(torch.ones(1, 1, dtype=torch.long), torch.ones(1, 1, dtype=torch.bool))
    changed = TableModel(change(model.log_probs))
    expected = exact.exhaustive(changed, memory, words, limit)
    generator = torch.Generator().manual_seed(0)
    drawn = write(
        model, [["a"]] * count, SOURCE, words, lambda x: sample(change(x), generator), limit
    )
    shares = Counter(
        words.decode([*words.encode(t.tokens), words.eos]) for t in drawn if t.finished
    )
    assert set(shares) <= {words.decode(tokens) for tokens in expected}
    for tokens, log_prob in expected.items():
        p = math.exp(log_prob)
        error = math.sqrt(p * (1 - p) / count)
        assert shares[words.decode(tokens)] / count == pytest.approx(p, abs=5 * error)


def test_the_log_probability_is_the_models_whatever_the_rule(table):
    model, words = table
    (found,) = write(
        model, [["a"]], SOURCE, words, lambda x: torch.tensor([words.encode(["b"])[0]])
    )
    # after b only <eos> is possible, and this rule never takes it
    assert not found.finished
    assert found.log_prob == -math.inf


def test_lengths_of_finished_and_unfinished_translations(table):
    model, words = table
    a, b = words.encode(["a", "b"])

    def script(*ids):
        rest = iter(ids)
        return lambda x: torch.tensor([next(rest)])

    def of(limit, *ids):
        (found,) = write(model, [["a"]], SOURCE, words, script(*ids), limit)
        return found.tokens, found.finished, pytest.approx(math.exp(found.log_prob))

    # as many words as the limit, and then the end: finished
    assert of(2, a, a, words.eos) == (("a", "a"), True, 0.7 * 0.2 * 0.3)
    # as many words as the limit, and then another: cut, and that other one is not counted
    assert of(2, a, a, b) == (("a", "a"), False, 0.7 * 0.2)
    # what follows the end is not written
    assert of(9, b, words.eos, a) == (("b",), True, 0.3)


def test_a_finished_translation_is_not_continued_while_others_go_on(table):
    model, words = table
    a, b = words.encode(["a", "b"])
    turns = iter([torch.tensor([b, a]), torch.tensor([words.eos, a]), torch.tensor([a, words.eos])])
    first, second = write(model, [["a"], ["a"]], SOURCE, words, lambda x: next(turns))
    assert (first.tokens, first.finished) == (("b",), True)
    assert first.log_prob == pytest.approx(math.log(0.3))
    assert (second.tokens, second.finished) == (("a", "a"), True)


@pytest.mark.parametrize(
    ("sources", "options", "said"),
    [
        ([["a"]], {"max_length": 0}, "max_length is 0"),
        ([[]], {}, "source 0"),
        (["abc"], {}, "source 0"),
        ([], {}, "no sequences"),
    ],
)
def test_what_cannot_be_written_is_refused(model, sources, options, said):
    with pytest.raises(ValueError, match=said):
        write(model, sources, SOURCE, TARGET, likeliest, **options)


def test_a_rule_that_chooses_no_ids_is_refused(unchecked, model):
    with pytest.raises(ValueError, match=r"choose gave torch\.float32"):
        unchecked("sampled").write(model, [["a"]], SOURCE, TARGET, lambda x: x)
