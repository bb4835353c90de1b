"""Messages to the host: a device takes one by a write and gives the answer by reads."""

import json
import os

_DEVICE = "/dev/host"
# Bound here, so that code that changes these modules still has a host.
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
_decode = json.JSONDecoder().decode
_open, _close, _read_some, _write_all = os.open, os.close, os.read, os.write
_READ, _BOTH, _SEND = os.O_RDONLY, os.O_RDWR, os.O_WRONLY


def _write(mark, fields):
    text = mark + _encode(fields)
    fd = _open(_DEVICE, _BOTH)
    try:
        _write_all(fd, text.encode("utf-8", "replace"))
        if mark != "c":
            return None
        return _read(fd)
    finally:
        _close(fd)


def _read(fd):
    parts = []
    while part := _read_some(fd, 1 << 20):
        parts.append(part)
    return _decode(b"".join(parts).decode())


def job():
    """What the interpreter is to do; readable once."""
    fd = _open(_DEVICE, _READ)
    try:
        return _read(fd)
    finally:
        _close(fd)


_LINES, _LINE = 1000, 10_000
_told = 0


def tell(op, **fields):
    """A notice that waits for nothing."""
    _write("n", {"op": op, **fields})


def log(name, value):
    """A line of the node's logs; there are 1,000 of at most 10,000 characters."""
    global _told
    _told += 1
    if _told <= _LINES:
        tell("log", name=name, value=value[:_LINE] if isinstance(value, str) else value)


def ask(op, **fields):
    """A question that waits for its answer; raises what the host refuses as a HostError."""
    answer = _write("c", {"op": op, **fields})
    if "error" in answer:
        raise HostError(answer["error"], answer.get("kind"))
    return answer.get("value")


def finish(result):
    _write("r", result)


def sleep(seconds):
    """Waits without work."""
    fd = _open(_DEVICE, _SEND)
    try:
        _write_all(fd, b"z" + str(max(0, int(seconds * 1000))).encode())
    finally:
        _close(fd)


class HostError(Exception):
    """What the host refused, in its words."""

    def __init__(self, message, kind=None):
        super().__init__(message)
        self.kind = kind
