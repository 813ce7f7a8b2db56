"""The corpus explorer in JupyterLab: the grammar in the kernel translates what is typed."""

EXPLORER = """
from seq2bert import corpus
from seq2bert.widgets import CorpusExplorer

widget = CorpusExplorer(corpus.pairs("test", 20))
"""
TEXT = "document.querySelector('.s2b-explorer {}')?.textContent"


def test_a_sentence_is_translated_and_python_sees_it(open_notebook):
    notebook = open_notebook(EXPLORER, "widget", "print(*widget.pair.target)", "widget.place = 3")
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-explorer")
    view.locator(".s2b-pair").wait_for(timeout=30_000)

    def wait(selector: str, text: str) -> None:
        condition = f"{TEXT.format(selector)}.includes({text!r})"
        notebook.page.wait_for_function(condition, timeout=30_000)

    wait(".s2b-ask", "type an English sentence")
    view.locator("input").fill("the red car is old .")
    wait(".s2b-count", "your sentence")
    target = view.locator("[data-side=target] text").all_text_contents()
    assert target == ["la", "voiture", "rouge", "est", "vieille", "."]
    notebook.run(2)
    said = notebook.cell(2).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "la voiture rouge est vieille ."

    # what is no sentence of the language gets the reason that Python gives
    view.locator("input").fill("the red zebra is old .")
    wait(".s2b-status", "zebra")
    view.locator("input").fill("")
    wait(".s2b-status", "All 20 pairs.")

    # a change in Python moves the picture
    notebook.run(3)
    wait(".s2b-count", "4 of 20")
