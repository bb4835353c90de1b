"""Requests sent by the host; shared by the HTTP libraries."""

import base64
import json
import uuid
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from _flow import channel


class Headers(dict):
    """Case-insensitive header names."""

    def __init__(self, given=None):
        super().__init__()
        pairs = given.items() if hasattr(given, "items") else given or []
        for name, value in pairs:
            self[name] = value

    def __setitem__(self, name, value):
        for known in self:
            if known.lower() == name.lower():
                return super().__setitem__(known, value)
        super().__setitem__(name, value)

    def __getitem__(self, name):
        for known, value in self.items():
            if known.lower() == str(name).lower():
                return value
        raise KeyError(name)

    def __contains__(self, name):
        return any(known.lower() == str(name).lower() for known in self)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def update(self, other=(), **more):
        for name, value in {**dict(other or {}), **more}.items():
            self[name] = value


class Raw:
    """An unprocessed response."""

    def __init__(self, facts):
        self.status, self.reason, self.url = facts["status"], facts["reason"], facts["url"]
        self.redirected = facts["redirected"]
        self.body = base64.b64decode(facts["body"])
        self.headers = Headers()
        self.cookies = {}
        for name, value in facts["headers"]:
            if name.lower() == "set-cookie":
                self.cookies.update({key: one.value for key, one in SimpleCookie(value).items()})
            self.headers[name] = value


def send(method, url, headers=None, body=None, follow=True, timeout=None):
    """Send a request and return the response; raise HostError if the host refuses it."""
    if isinstance(body, str):
        body = body.encode()
    return Raw(
        channel.ask(
            "fetch",
            method=method.upper(),
            url=url,
            headers=[[str(name), _text(value)] for name, value in (headers or {}).items()],
            body=None if body is None else base64.b64encode(body).decode(),
            follow=follow,
            timeout=_seconds(timeout),
        )
    )


def _text(value):
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _seconds(timeout):
    if isinstance(timeout, (tuple, list)):
        known = [part for part in timeout if part is not None]
        return max(known, default=None)
    return timeout if isinstance(timeout, (int, float)) else getattr(timeout, "read", None)


def with_params(url, params):
    """Add query parameters to a URL."""
    if not params:
        return url
    if isinstance(params, (str, bytes)):
        more = params if isinstance(params, str) else params.decode()
    else:
        pairs = params.items() if hasattr(params, "items") else params
        flat = [(k, v) for k, value in pairs for v in (value if isinstance(value, (list, tuple)) else [value])]
        more = urlencode([(k, v) for k, v in flat if v is not None])
    parts = urlsplit(url)
    query = "&".join(part for part in (parts.query, more) if part)
    return urlunsplit(parts._replace(query=query))


def encode_body(data=None, json_=None, files=None, content=None, compact=False):
    """Encode a body and return it with its content type."""
    if content is not None:
        return (content if isinstance(content, (bytes, str)) else b"".join(content)), None
    if json_ is not None:
        shape = {"ensure_ascii": False, "separators": (",", ":")} if compact else {}
        return json.dumps(json_, **shape), "application/json"
    if files:
        return _multipart(data, files)
    if data is None:
        return None, None
    if isinstance(data, (bytes, str)):
        return data, None
    if hasattr(data, "read"):
        return data.read(), None
    pairs = data.items() if hasattr(data, "items") else data
    return urlencode(list(pairs), doseq=True), "application/x-www-form-urlencoded"


def _multipart(data, files):
    mark = uuid.uuid4().hex
    parts = []
    for name, value in (data or {}).items():
        parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    for name, value in files.items() if hasattr(files, "items") else files:
        value = value if isinstance(value, (tuple, list)) else (getattr(value, "name", name), value)
        filename, content, kind = (*value, "application/octet-stream")[:3]
        content = content.read() if hasattr(content, "read") else content
        content = content.encode() if isinstance(content, str) else content
        head = f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\nContent-Type: {kind}\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    parts.append(f"--{mark}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={mark}"


def basic(auth):
    name, word = auth
    return "Basic " + base64.b64encode(f"{name}:{word}".encode()).decode()


def charset(headers):
    kind = headers.get("content-type", "")
    for part in kind.split(";")[1:]:
        name, _, value = part.strip().partition("=")
        if name.lower() == "charset":
            return value.strip("\"'")
    return None


def ignored(what):
    """Log that an option of a library is ignored."""
    channel.tell("web", text=f"{what} is ignored here")


__all__ = ["Headers", "Raw", "basic", "charset", "encode_body", "ignored", "parse_qsl", "quote", "send", "with_params"]
