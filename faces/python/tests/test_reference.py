"""The reference of the package in the book is what the types and docstrings say."""

from __future__ import annotations

import reference


def test_the_page_of_the_book_is_that_of_the_package() -> None:
    assert reference.PAGE.read_text() == reference.page(), "run python faces/python/tests/reference.py, and commit the page"


def test_summaries_of_functions_open_with_a_verb() -> None:
    reference.page()
    assert len(reference.FUNCTIONS) > 150
    noun = {name: doc for name, doc in reference.FUNCTIONS.items() if not doc.split(" ")[0].rstrip(":,.").endswith("s") and doc[:8] != "True if "}
    assert not noun
