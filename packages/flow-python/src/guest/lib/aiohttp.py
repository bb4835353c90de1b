"""aiohttp's ClientSession, with requests sent by the host."""

import json as _json

from _flow import web as _web
from _flow.channel import HostError as _HostError


class ClientError(Exception):
    pass


class ClientConnectionError(ClientError):
    pass


class ClientConnectorError(ClientConnectionError):
    pass


class ClientResponseError(ClientError):
    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class ClientTimeout:
    def __init__(self, total=None, **_more):
        self.read = total


class ClientResponse:
    def __init__(self, raw):
        self.status, self.reason, self.headers, self.url = raw.status, raw.reason, raw.headers, raw.url
        self._body = raw.body

    @property
    def ok(self):
        return self.status < 400

    async def text(self, encoding=None):
        return self._body.decode(encoding or _web.charset(self.headers) or "utf-8", "replace")

    async def json(self, **_options):
        return _json.loads(self._body)

    async def read(self):
        return self._body

    def raise_for_status(self):
        if self.status >= 400:
            raise ClientResponseError(f"{self.status}, message={self.reason!r}, url={self.url!r}", self.status)

    def release(self):
        pass


class _Request:
    def __init__(self, make):
        self._make = make

    def __await__(self):
        async def made():
            return self._make()

        return made().__await__()

    async def __aenter__(self):
        return self._make()

    async def __aexit__(self, *_):
        pass


class BasicAuth(tuple):
    def __new__(cls, login, password=""):
        return super().__new__(cls, (login, password))


class ClientSession:
    def __init__(self, base_url=None, headers=None, auth=None, timeout=None, **_more):
        self.headers, self._base, self._auth, self._timeout = headers or {}, base_url or "", auth, timeout

    def request(self, method, url, *, params=None, data=None, json=None, headers=None, auth=None, timeout=None,
                allow_redirects=True, **_more):
        def make():
            body, kind = _web.encode_body(data, json)
            sent = _web.Headers(self.headers)
            if kind:
                sent["Content-Type"] = kind
            sent.update(headers)
            pair = auth or self._auth
            if pair:
                sent["Authorization"] = _web.basic(pair)
            address = _web.with_params(self._base + str(url), params)
            try:
                return ClientResponse(_web.send(method, address, sent, body, allow_redirects, timeout or self._timeout))
            except _HostError as error:
                raise (TimeoutError if error.kind == "timeout" else ClientConnectorError)(str(error)) from None

        return _Request(make)

    def __getattr__(self, name):
        if name in ("get", "post", "put", "patch", "delete", "head", "options"):
            return lambda url, **kwargs: self.request(name, url, **kwargs)
        raise AttributeError(name)

    async def close(self):
        pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass


class TCPConnector:
    def __init__(self, *_args, **_kwargs):
        pass
