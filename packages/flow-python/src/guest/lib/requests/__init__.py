"""The functions, Session and Response of requests, with requests sent by the host."""

import json as _json
from datetime import timedelta as _timedelta

from _flow import web as _web
from _flow.channel import HostError as _HostError
from requests import exceptions
from requests.exceptions import (
    ConnectionError,
    ConnectTimeout,
    HTTPError,
    JSONDecodeError,
    ReadTimeout,
    RequestException,
    Timeout,
    TooManyRedirects,
)

__version__ = "2.32"


class PreparedRequest:
    def __init__(self, method, url, headers, body):
        self.method, self.url, self.headers, self.body = method, url, headers, body


class Response:
    """A fully read response."""

    def __init__(self, raw=None, request=None):
        self.status_code = raw.status if raw else None
        self.reason = raw.reason if raw else None
        self.url = raw.url if raw else None
        self.headers = raw.headers if raw else _web.Headers()
        self.content = raw.body if raw else b""
        self.cookies = dict(raw.cookies) if raw else {}
        self.history = []
        self.request = request
        self.elapsed = _timedelta(0)
        self.encoding = _web.charset(self.headers) or ("ISO-8859-1" if self._is_plain_text() else None)
        if self.encoding is None and "application/json" in str(self.headers.get("content-type", "")):
            self.encoding = "utf-8"

    def _is_plain_text(self):
        return self.headers.get("content-type", "").startswith("text/")

    @property
    def apparent_encoding(self):
        return "utf-8"

    @property
    def text(self):
        return self.content.decode(self.encoding or "utf-8", "replace")

    @property
    def ok(self):
        return self.status_code < 400

    @property
    def is_redirect(self):
        return "location" in self.headers and self.status_code in (301, 302, 303, 307, 308)

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return f"<Response [{self.status_code}]>"

    def json(self, **kwargs):
        try:
            return _json.loads(self.content, **kwargs)
        except ValueError as error:
            raise JSONDecodeError(str(error), response=self) from None

    def raise_for_status(self):
        if self.status_code >= 400:
            kind = "Client" if self.status_code < 500 else "Server"
            raise HTTPError(f"{self.status_code} {kind} Error: {self.reason} for url: {self.url}", response=self)

    def iter_content(self, chunk_size=1, decode_unicode=False):
        data = self.text if decode_unicode else self.content
        size = chunk_size or len(data) or 1
        return (data[at : at + size] for at in range(0, len(data), size))

    def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
        data = self.text if decode_unicode else self.content
        return iter(data.split(delimiter) if delimiter else data.splitlines())

    def __iter__(self):
        return self.iter_content(128)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Session:
    """Requests that share headers and cookies."""

    def __init__(self):
        self.headers = _web.Headers({"User-Agent": "python-requests/2.32", "Accept": "*/*"})
        self.cookies, self.params = {}, {}
        self.auth, self.verify, self.proxies = None, True, {}
        self.max_redirects = 30

    def mount(self, *_args):
        pass

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def request(self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None,
                timeout=None, allow_redirects=True, proxies=None, hooks=None, stream=None, verify=None, cert=None, json=None):
        if verify is False or self.verify is False:
            _web.ignored("verify=False")
        if proxies or self.proxies:
            _web.ignored("a proxy")
        body, kind = _web.encode_body(data, json, files)
        sent = _web.Headers(self.headers)
        if kind:
            sent["Content-Type"] = kind
        sent.update({name: value for name, value in (headers or {}).items() if value is not None})
        every = {**self.cookies, **(cookies or {})}
        if every:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in every.items())
        auth = auth or self.auth
        if isinstance(auth, (tuple, list)):
            sent["Authorization"] = _web.basic(auth)
        url = _web.with_params(_web.with_params(str(url), self.params), params)
        request = PreparedRequest(method.upper(), url, sent, body)
        if callable(auth):
            request = auth(request) or request
        try:
            raw = _web.send(method, request.url, request.headers, body, allow_redirects, timeout)
        except _HostError as error:
            raise _ERRORS.get(error.kind, ConnectionError)(str(error), request=request) from None
        self.cookies.update(raw.cookies)
        response = Response(raw, request)
        if raw.redirected:
            response.history = [Response()]
        return response

    def __getattr__(self, name):
        if name in ("get", "post", "put", "patch", "delete", "head", "options"):
            return lambda url, *args, **kwargs: self.request(name, url, **_named(name, args), **kwargs)
        raise AttributeError(name)


_ERRORS = {"timeout": ReadTimeout, "refused": RequestException}


def _named(method, args):
    names = {"get": ["params"], "post": ["data", "json"], "put": ["data"], "patch": ["data"]}
    return dict(zip(names.get(method, []), args))


def session():
    return Session()


def request(method, url, **kwargs):
    return Session().request(method, url, **kwargs)


def _function(name):
    def send(url, *args, **kwargs):
        if name == "head":
            kwargs.setdefault("allow_redirects", False)
        return request(name, url, **_named(name, args), **kwargs)

    send.__name__ = name
    return send


for _name in ("get", "post", "put", "patch", "delete", "head", "options"):
    globals()[_name] = _function(_name)


class codes:
    ok = 200
    created = 201
    no_content = 204
    bad_request = 400
    unauthorized = 401
    forbidden = 403
    not_found = 404
    too_many_requests = 429
    server_error = 500
