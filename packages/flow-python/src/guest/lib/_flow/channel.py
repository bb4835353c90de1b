"""Exchange messages with the host through a device: write a message, read the answer."""

import json
import os

_DEVICE = "/dev/host"
# Bound here so that they keep working if the code patches these modules.
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
    """Read the job; works only once."""
    fd = _open(_DEVICE, _READ)
    try:
        return _read(fd)
    finally:
        _close(fd)


_LINES, _LINE = 1000, 10_000
_told = 0


def tell(op, **fields):
    """Send a notice without waiting for an answer."""
    _write("n", {"op": op, **fields})


def log(name, value):
    """Add a line to the node's logs, which are limited to 1,000 lines of 10,000 characters."""
    global _told
    _told += 1
    if _told <= _LINES:
        tell("log", name=name, value=value[:_LINE] if isinstance(value, str) else value)


def ask(op, **fields):
    """Ask the host and wait for the answer; raise HostError if it refuses."""
    answer = _write("c", {"op": op, **fields})
    while "callback" in answer:
        from _flow import kept

        answer = _write("c", {"op": "return", **kept.serve(answer["callback"])})
    if "error" in answer:
        raise HostError(answer["error"], answer.get("kind"))
    return answer.get("value")


def finish(result):
    _write("r", result)


def sleep(seconds):
    """Block without using the CPU."""
    fd = _open(_DEVICE, _SEND)
    try:
        _write_all(fd, b"z" + str(max(0, int(seconds * 1000))).encode())
    finally:
        _close(fd)


class HostError(Exception):
    """A refusal, with the host's message."""

    def __init__(self, message, kind=None):
        super().__init__(message)
        self.kind = kind
