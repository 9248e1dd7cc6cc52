"""Marks on views that the middleware obeys."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

_MARK = "countersign_rule"


def skip_license(view: View) -> View:
    """Require no license for a view, although the middleware requires one for all."""
    setattr(view, _MARK, "skipped")
    return view


def mark_licensed(view: View) -> View:
    setattr(view, _MARK, "required")
    return view


def is_marked(view: Callable[..., Any]) -> bool:
    """Whether the view needs no license, or validates it itself. So the decorator of a view wins."""
    return hasattr(view, _MARK) or hasattr(getattr(view, "view_class", None), _MARK)
