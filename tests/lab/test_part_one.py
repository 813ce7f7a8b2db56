"""The widgets of Part I in JupyterLab: the encoder-decoder in the learner's kernel answers."""

import ast

MODEL = """
import torch
from seq2bert import corpus
from seq2bert.encoder_decoder import EncoderDecoder, Sizes
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import BeamTree, Distribution, StepThrough

torch.manual_seed(0)
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
model = EncoderDecoder(len(ENGLISH), len(FRENCH), sizes=Sizes(8, 8)).eval()
one = {"one": corpus.translate("the king sleeps .".split())}
"""
SENTENCE = "the queen reads ."


def prepare(notebook, name: str):
    """Run the model's cell and the widget's; the view, once its kernel has answered."""
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(f".s2b-{name}")
    view.locator(".s2b-status", has_text="in your kernel").wait_for(timeout=30_000)
    return view


def write(notebook, name: str, view) -> None:
    """Type a sentence and wait until what is shown belongs to it."""
    view.locator("input.s2b-input").fill(SENTENCE)
    selector = f".s2b-{name}:is([aria-busy], .s2b-stale)"
    notebook.page.wait_for_timeout(300)
    notebook.page.wait_for_function(f"!document.querySelector({selector!r})", timeout=30_000)


def said(notebook, number: int) -> str:
    notebook.run(number)
    return notebook.cell(number).locator(".jp-OutputArea-output").inner_text().strip()


def test_every_step_of_the_learner_s_model_is_shown(open_notebook):
    check = """
from seq2bert.stepping import walk
asked = walk(model, "the queen reads .".split(), ENGLISH, FRENCH)
shown = widget.shown["answer"]
print([moment["written"][0] for moment in shown["moments"]]
      == [moment.written.token for moment in asked.moments], *shown["source"])
print(*asked.tokens)
"""
    widget = "widget = StepThrough({'mine': model}, ENGLISH, FRENCH, one)\nwidget"
    notebook = open_notebook(MODEL, widget, check, "widget.position = 2")
    view = prepare(notebook, "stepthrough")
    write(notebook, "stepthrough", view)
    same, tokens = said(notebook, 2).splitlines()
    assert same == f"True {SENTENCE}"
    rows = view.locator(".s2b-part").nth(1).locator(".s2b-state-word").all_text_contents()
    assert [row.split(" → ")[1] for row in rows[1:]] == tokens.split()
    # a change in Python moves the view
    notebook.run(3)
    view.locator(".s2b-readout", has_text="encoder reads queen").wait_for()


def test_the_tree_of_the_learner_s_search_is_shown(open_notebook):
    check = "print(len(widget.tree.nodes), [' '.join(words) for words, _ in widget.results])"
    # an untrained model ends at once or never: this much more of <eos>, and it does both
    ends = "with torch.no_grad():\n    model.bias[FRENCH.eos] += 1.5\n"
    widget = ends + "widget = BeamTree({'mine': model}, ENGLISH, FRENCH, one)\nwidget"
    notebook = open_notebook(MODEL, widget, check, "widget.penalty = 0.0", check)
    view = prepare(notebook, "beamtree")
    write(notebook, "beamtree", view)
    for number in (2, 4):
        nodes, _, results = said(notebook, number).partition(" ")
        assert view.locator(".s2b-node").count() == int(nodes) > 3
        found = view.locator(".s2b-results bdi").all_inner_texts()
        assert len(found) == 3
        assert [words if words in results else "" for words in found] == ast.literal_eval(results)
        if number == 2:
            notebook.run(3)
            notebook.page.wait_for_timeout(300)


def test_the_distribution_of_the_learner_s_model_is_shown(open_notebook):
    check = """
left = widget.distribution.exp()
best = left.argsort(descending=True)
print(int((left > 0).sum()), [FRENCH.tokens[place] for place in best[:3].tolist()])
"""
    widget = "widget = Distribution({'mine': model}, ENGLISH, FRENCH, one)\nwidget"
    notebook = open_notebook(MODEL, widget, check, "widget.k = 2", check)
    view = prepare(notebook, "distribution")
    write(notebook, "distribution", view)
    for number, kept in ((2, 502), (4, 2)):
        count, _, words = said(notebook, number).partition(" ")
        assert int(count) == kept
        assert view.locator(".s2b-facts").inner_text().startswith(f"{kept} of 502")
        if number == 2:
            first = [text.split()[0] for text in view.locator(".s2b-next").all_inner_texts()[:3]]
            assert str(first) == words
            notebook.run(3)
            notebook.page.wait_for_timeout(300)
