"""Runs flow files with the reference engine, one JSON request a line, for tools/wild/reference.ts.

A line is {"data", "input", "port"}; the answer is {"said": {vertex: {output: value}}} or {"error"}.
Every request to the outside goes to the faked world at the port.
"""

import asyncio
import json
import os
import signal
import sys
import warnings

warnings.filterwarnings("ignore")
PORT = 0
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def through_world():
    import httpx
    import requests

    def moved(request):
        if request.url.port != PORT:
            request.headers["x-world-host"] = request.url.host
            request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=PORT)
            request.headers["host"] = f"127.0.0.1:{PORT}"
        return request

    send = httpx.HTTPTransport.handle_request
    asend = httpx.AsyncHTTPTransport.handle_async_request
    httpx.HTTPTransport.handle_request = lambda self, request: send(self, moved(request))
    httpx.AsyncHTTPTransport.handle_async_request = lambda self, request: asend(self, moved(request))
    sends = requests.adapters.HTTPAdapter.send

    def plain(self, request, **options):
        from urllib.parse import urlsplit

        parts = urlsplit(request.url)
        request.headers["x-world-host"] = parts.hostname or ""
        request.url = parts._replace(scheme="http", netloc=f"127.0.0.1:{PORT}").geturl()
        return sends(self, request, **options)

    requests.adapters.HTTPAdapter.send = plain
    try:
        import aiohttp
        from yarl import URL
    except ImportError:
        return
    ask = aiohttp.ClientSession._request

    async def asked(self, method, url, **options):
        url = URL(url) if isinstance(url, str) else url
        options["headers"] = {**(options.get("headers") or {}), "x-world-host": url.host or ""}
        options.pop("ssl", None)
        moved_to = url.with_scheme("http").with_host("127.0.0.1").with_port(PORT)
        return await ask(self, method, moved_to, **options)

    aiohttp.ClientSession._request = asked


def with_files():
    """The file of all file fields."""

    class Files:
        def resolve_component_path(self, path):
            return os.environ["SAMPLE_FILE"]

        def build_full_path(self, *parts):
            return os.environ["SAMPLE_FILE"]

    everywhere({"get_storage_service": Files})


def everywhere(names):
    for module in list(sys.modules.values()):
        for name, value in names.items():
            if name in getattr(module, "__dict__", {}):
                setattr(module, name, value)


def with_memory():
    """Messages of a session are kept, as the server does."""
    import uuid

    kept = []

    async def store(message, flow_id=None):
        if not getattr(message, "id", None):
            message.id = str(uuid.uuid4())
        if all(one.id != message.id for one in kept):
            kept.append(message)
        return [message]

    async def update(messages):
        return messages if isinstance(messages, list) else [messages]

    async def get(sender=None, sender_name=None, session_id=None, context_id=None, order_by=None,
                  order="DESC", flow_id=None, limit=None):
        found = [one for one in kept
                 if sender in (None, one.sender) and sender_name in (None, one.sender_name)
                 and (session_id is None or str(session_id) == str(one.session_id))]
        if order == "DESC":
            found.reverse()
        return found[:limit] if limit else found

    everywhere({"astore_message": store, "aupdate_messages": update, "aget_messages": get})


def plain(value, depth=0):
    from lfx.schema.data import Data
    from lfx.schema.dataframe import DataFrame
    from lfx.schema.message import Message

    if isinstance(value, Message):
        return {"text": value.get_text()}
    if isinstance(value, DataFrame):
        return [plain(row, depth + 1) for row in value.to_dict(orient="records")]
    if isinstance(value, Data):
        return plain(value.data, depth + 1)
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if depth > 20:
        return None
    if isinstance(value, dict):
        return {str(key): plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, depth + 1) for one in value]
    return f"<{type(value).__name__}>"


async def run(line):
    from lfx.graph.graph.base import Graph

    graph = Graph.from_payload(line["data"], flow_id="6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c02",
                               user_id="6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01")
    ends = [vertex.id for vertex in graph.vertices if vertex.is_output]
    await graph.arun([{"input_value": line["input"]}], inputs_components=[[]], types=["chat"],
                     outputs=ends, session_id="session", fallback_to_env_vars=True)
    return {vertex.id: {name: plain(value) for name, value in vertex.results.items()}
            for vertex in graph.vertices if vertex.built and isinstance(vertex.results, dict)}


def main():
    global PORT
    through_world()
    for module in ("lfx.graph.graph.base", "lfx.memory", "lfx.components.agents", "lfx.components.processing", "langchain.agents", "pandas"):
        try:
            __import__(module)
        except ImportError:
            pass
    with_memory()
    with_files()
    for text in sys.stdin:
        line = json.loads(text)
        child = os.fork()
        if child == 0:
            PORT = line["port"]
            signal.alarm(line.get("seconds", 60))
            try:
                answer = {"said": asyncio.run(run(line))}
            except BaseException as error:  # noqa: BLE001
                answer = {"error": f"{type(error).__name__}: {error}"[:600]}
            ANSWERS.write(json.dumps(answer, default=str) + "\n")
            ANSWERS.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            ANSWERS.write(json.dumps({"error": "took too long"}) + "\n")
            ANSWERS.flush()


main()
