"""urllib3's PoolManager, with requests sent by the host."""

import json as _json

from _flow import web as _web
from _flow.channel import HostError as _HostError
from urllib3 import exceptions


class HTTPResponse:
    def __init__(self, raw):
        self.status, self.reason, self.headers, self.data = raw.status, raw.reason, raw.headers, raw.body

    def json(self):
        return _json.loads(self.data)

    def read(self, *_args, **_kwargs):
        return self.data

    def release_conn(self):
        pass


class PoolManager:
    def __init__(self, *_args, headers=None, **_kwargs):
        self.headers = headers or {}

    def request(self, method, url, body=None, fields=None, headers=None, json=None, timeout=None, redirect=True, **_more):
        if fields and method.upper() in ("GET", "HEAD", "DELETE"):
            url, fields = _web.with_params(url, fields), None
        body, kind = _web.encode_body(fields, json, None, body)
        sent = _web.Headers(self.headers)
        if kind:
            sent["Content-Type"] = kind
        sent.update(headers)
        try:
            return HTTPResponse(_web.send(method, url, sent, body, redirect, timeout))
        except _HostError as error:
            kind = exceptions.TimeoutError if error.kind == "timeout" else exceptions.HTTPError
            raise kind(str(error)) from None


def request(method, url, **kwargs):
    return PoolManager().request(method, url, **kwargs)


def disable_warnings(*_args):
    pass


class Timeout:
    def __init__(self, total=None, connect=None, read=None):
        self.read = read or total


class Retry:
    def __init__(self, *_args, **_kwargs):
        pass
