"""Lengths of vectors."""

import math

from numpy.array import asarray, missing, product


def norm(array, ord=None, axis=None, keepdims=False):
    if ord not in (None, 1, 2):
        raise missing(f"linalg.norm of order {ord}")
    length = (lambda values: sum(map(abs, values))) if ord == 1 else (lambda values: math.sqrt(product(values, values)))
    return asarray(array)._reduce(lambda values: float(length(values)), axis, keepdims)


def __getattr__(name):
    raise missing(f"linalg.{name}")
