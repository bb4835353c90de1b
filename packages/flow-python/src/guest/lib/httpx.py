"""The functions, Client and AsyncClient of httpx, with requests sent by the host."""

import json as _json

from _flow import web as _web
from _flow.channel import HostError as _HostError


class HTTPError(Exception):
    def __init__(self, message, request=None, response=None):
        super().__init__(message)
        self.request, self.response = request, response


class RequestError(HTTPError):
    pass


class TransportError(RequestError):
    pass


class TimeoutException(TransportError):
    pass


class ReadTimeout(TimeoutException):
    pass


class ConnectTimeout(TimeoutException):
    pass


class NetworkError(TransportError):
    pass


class ConnectError(NetworkError):
    pass


class ReadError(NetworkError):
    pass


class TooManyRedirects(RequestError):
    pass


class HTTPStatusError(HTTPError):
    pass


class InvalidURL(Exception):
    pass


class Timeout:
    def __init__(self, timeout=5.0, *, connect=None, read=None, write=None, pool=None):
        self.read = read or timeout


class Limits:
    def __init__(self, **_kwargs):
        pass


class BasicAuth:
    def __init__(self, username, password):
        self.pair = (username, password)


class Request:
    def __init__(self, method, url, headers=None, content=b""):
        self.method, self.url, self.headers, self.content = method.upper(), url, headers or {}, content


class Response:
    """A fully read response."""

    def __init__(self, raw, request):
        self.status_code, self.reason_phrase, self.url = raw.status, raw.reason, raw.url
        self.headers, self.content, self.cookies = raw.headers, raw.body, dict(raw.cookies)
        self.request, self.history = request, []
        self.encoding = _web.charset(raw.headers) or "utf-8"

    @property
    def text(self):
        return self.content.decode(self.encoding, "replace")

    @property
    def is_success(self):
        return 200 <= self.status_code < 300

    @property
    def is_error(self):
        return self.status_code >= 400

    @property
    def is_redirect(self):
        return self.status_code in (301, 302, 303, 307, 308)

    def json(self, **kwargs):
        return _json.loads(self.content, **kwargs)

    def raise_for_status(self):
        if self.is_success:
            return self
        kind = {3: "Redirect response", 4: "Client error", 5: "Server error"}.get(self.status_code // 100, "Informational response")
        raise HTTPStatusError(f"{kind} '{self.status_code} {self.reason_phrase}' for url '{self.url}'", self.request, self)

    def read(self):
        return self.content

    async def aread(self):
        return self.content

    def iter_lines(self):
        return iter(self.text.splitlines())

    def iter_bytes(self, chunk_size=None):
        yield self.content

    def iter_text(self, chunk_size=None):
        yield self.text

    async def aiter_lines(self):
        for line in self.text.splitlines():
            yield line

    async def aiter_bytes(self, chunk_size=None):
        yield self.content

    async def aiter_text(self, chunk_size=None):
        yield self.text

    def __repr__(self):
        return f"<Response [{self.status_code} {self.reason_phrase}]>"


class _Base:
    def __init__(self, *, headers=None, params=None, cookies=None, auth=None, timeout=5.0, base_url="",
                 follow_redirects=False, verify=True, proxy=None, **_more):
        if verify is False:
            _web.ignored("verify=False")
        if proxy:
            _web.ignored("a proxy")
        self.headers = _web.Headers({"User-Agent": "python-httpx", "Accept": "*/*", **(headers or {})})
        self.params, self.cookies, self.auth, self.timeout = params, dict(cookies or {}), auth, timeout
        self.base_url, self.follow_redirects = str(base_url), follow_redirects

    def _send(self, method, url, *, params=None, headers=None, cookies=None, content=None, data=None, files=None,
              json=None, auth=None, timeout=None, follow_redirects=None, extensions=None):
        body, kind = _web.encode_body(data, json, files, content, compact=True)
        sent = _web.Headers(self.headers)
        if kind:
            sent["Content-Type"] = kind
        sent.update(headers)
        every = {**self.cookies, **(cookies or {})}
        if every:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in every.items())
        auth = getattr(auth or self.auth, "pair", auth or self.auth)
        if isinstance(auth, tuple):
            sent["Authorization"] = _web.basic(auth)
        url = str(url)
        if self.base_url and "://" not in url:
            url = self.base_url.rstrip("/") + "/" + url.lstrip("/")
        url = _web.with_params(_web.with_params(url, self.params), params)
        request = Request(method, url, sent, body)
        follow = self.follow_redirects if follow_redirects is None else follow_redirects
        try:
            raw = _web.send(method, url, sent, body, follow, timeout if timeout is not None else self.timeout)
        except _HostError as error:
            raise _ERRORS.get(error.kind, ConnectError)(str(error), request) from None
        self.cookies.update(raw.cookies)
        return Response(raw, request)


_ERRORS = {"timeout": ReadTimeout, "refused": RequestError}
_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")


class _Opened:
    """A response for use with `with` or `async with`."""

    def __init__(self, make):
        self._make = make

    def __enter__(self):
        return self._make()

    def __exit__(self, *_):
        pass

    async def __aenter__(self):
        return self._make()

    async def __aexit__(self, *_):
        pass


class Client(_Base):
    def request(self, method, url, **kwargs):
        return self._send(method, url, **kwargs)

    def stream(self, method, url, **kwargs):
        return _Opened(lambda: self._send(method, url, **kwargs))

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class AsyncClient(_Base):
    async def request(self, method, url, **kwargs):
        return self._send(method, url, **kwargs)

    def stream(self, method, url, **kwargs):
        return _Opened(lambda: self._send(method, url, **kwargs))

    async def aclose(self):
        pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass


_OF_CLIENT = ("verify", "proxy", "follow_redirects", "timeout", "auth", "cookies", "trust_env")


def request(method, url, **kwargs):
    options = {name: kwargs.pop(name) for name in _OF_CLIENT if name in kwargs}
    return Client(**options).request(method, url, **kwargs)


def stream(method, url, **kwargs):
    return _Opened(lambda: request(method, url, **kwargs))


def _add(name):
    async def later(self, url, **kwargs):
        return self._send(name, url, **kwargs)

    setattr(Client, name, lambda self, url, **kwargs: self._send(name, url, **kwargs))
    setattr(AsyncClient, name, later)
    globals()[name] = lambda url, **kwargs: request(name, url, **kwargs)


for _name in _METHODS:
    _add(_name)
