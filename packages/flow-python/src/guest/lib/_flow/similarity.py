"""Similarity of the rows of two matrices."""

from numpy import asarray, dot
from numpy.linalg import norm


def cosine_similarity(one, other=None):
    one = asarray(one)
    other = one if other is None else asarray(other)
    lengths = norm(one, axis=1).reshape(-1, 1) * norm(other, axis=1)
    lengths[lengths == 0] = 1.0
    return dot(one, other.T) / lengths
