"""Re-exports names that have moved to the standard library."""

import typing as _typing
import warnings as _warnings
from typing import *  # noqa: F403
from typing import Annotated, Literal, NamedTuple, NotRequired, Required, Self, TypedDict, get_type_hints, override

deprecated = getattr(_warnings, "deprecated", lambda *_a, **_k: lambda thing: thing)


def __getattr__(name):
    return getattr(_typing, name)
