"""`urllib.request.urlopen` with requests sent by the host."""

import email.message
import io
import urllib.error
import urllib.request
import urllib.response

from _flow import web
from _flow.channel import HostError


def install():
    urllib.request.urlopen = urlopen
    urllib.request.OpenerDirector.open = lambda self, url, data=None, timeout=None: urlopen(
        url, data, timeout, headers=dict(self.addheaders)
    )
    urllib.request.urlretrieve = _retrieve


def urlopen(url, data=None, timeout=None, *, context=None, headers=None, **_more):
    request = url if isinstance(url, urllib.request.Request) else urllib.request.Request(url, data)
    if data is not None:
        request.data = data
    body = request.data
    sent = {**(headers or {}), **request.unredirected_hdrs, **request.headers}
    if body is not None and not any(name.lower() == "content-type" for name in sent):
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    try:
        raw = web.send(request.get_method(), request.full_url, sent, body, True, timeout)
    except HostError as error:
        reason = TimeoutError(str(error)) if error.kind == "timeout" else str(error)
        raise urllib.error.URLError(reason) from None
    found = email.message.Message()
    for name, value in raw.headers.items():
        found[name] = value
    if raw.status >= 400:
        raise urllib.error.HTTPError(raw.url, raw.status, raw.reason, found, io.BytesIO(raw.body))
    response = urllib.response.addinfourl(io.BytesIO(raw.body), found, raw.url, raw.status)
    response.reason = response.msg = raw.reason
    response.getheader = lambda name, default=None: found.get(name, default)
    return response


def _retrieve(url, filename=None, *_more):
    filename = filename or "/tmp/retrieved"
    response = urlopen(url)
    with open(filename, "wb") as opened:
        opened.write(response.read())
    return filename, response.headers
