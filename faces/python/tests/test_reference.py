"""The reference of the package in the book is what the types and docstrings say."""

from __future__ import annotations

import reference


def test_the_page_of_the_book_is_that_of_the_package() -> None:
    assert reference.PAGE.read_text() == reference.page(), "run python faces/python/tests/reference.py, and commit the page"
