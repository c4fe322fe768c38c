"""The notebook: notes that can be read back, and are never longer than notes may be."""

from hypothesis import given
from hypothesis import strategies as st

from bodies.practice.model.players.pokemon.notebook import (
    KEPT,
    LONGEST,
    Notebook,
    read_notebook,
)

ENTRIES = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(["town", "town/house: 1f.", "On x: y"]), st.text(max_size=90)),
        st.sampled_from(list(KEPT)),
        st.sampled_from(["1", "20.13", "north", "7.7", "8.9"]),
    ),
    max_size=60,
)


@given(ENTRIES, st.one_of(st.none(), st.text(max_size=1_000)))
def test_what_is_noted_fits_and_is_read_back_as_it_was(entries, notes):
    notebook = read_notebook(notes)
    for entry in entries:
        notebook = notebook.noted(*entry)
    written = notebook.written()
    assert len(written) <= LONGEST
    again = read_notebook(written)
    assert again.written() == written
    assert all(again.pages[name] == notebook.pages[name] for name in again.pages)


def test_the_map_that_was_visited_last_is_kept_longest():
    notebook = Notebook()
    for number in range(60):
        notebook = notebook.noted(f"map-{number}", "stood on", "7.7")
    kept = list(read_notebook(notebook.written()).pages)
    assert kept[-1] == "map-59"
    assert kept == [f"map-{number}" for number in range(60 - len(kept), 60)]


def test_a_label_keeps_its_latest_items():
    notebook = Notebook()
    for number in range(20):
        notebook = notebook.noted("town", "talked to", str(number))
    notebook = notebook.noted("town", "talked to", "12")
    assert notebook.on("town").under("talked to")[-2:] == ("19", "12")
    assert len(notebook.on("town").under("talked to")) == KEPT["talked to"]


def test_what_another_mind_noted_stands_in_front():
    notes = read_notebook("The rival waits north.\nOn town: talked to 1.").noted(
        "town", "stood on", "7.7"
    )
    assert notes.written() == "The rival waits north.\nOn town: talked to 1; stood on 7.7."
