"""The official Python clients against a running service: mcp 1.x over both transports, and openai."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamablehttp_client
from openai import NotFoundError, OpenAI

url, key, project = sys.argv[1:4]
headers = {"x-api-key": key}
address = f"{url}/api/v1/mcp/project/{project}"


async def call(read, write):
    seen = []

    async def progress(now, total, message):
        seen.append(now)

    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        result = await session.call_tool(
            "echo", {"input_value": "from Python"}, progress_callback=progress
        )
        failed = await session.call_tool("echo", {"input_value": 5})
        return {
            "tools": [tool.name for tool in tools.tools],
            "text": result.content[0].text,
            "isError": failed.isError,
            "progress": len(seen) > 0,
        }


async def tools():
    async with streamablehttp_client(f"{address}/streamable", headers=headers) as (read, write, _):
        streamable = await call(read, write)
    async with sse_client(f"{address}/sse", headers=headers) as (read, write):
        return {"streamable": streamable, "sse": await call(read, write)}


def models():
    client = OpenAI(base_url=f"{url}/api/openai/v1", api_key=key)
    response = client.responses.create(model="parrot", input="one")
    again = client.responses.create(model="parrot", input="two", previous_response_id=response.id)
    events = [event.type for event in client.responses.create(model="parrot", input="s", stream=True)]
    chat = client.chat.completions.create(
        model="parrot", messages=[{"role": "user", "content": "three"}]
    )
    found = client.responses.retrieve(response.id)
    items = client.responses.input_items.list(response.id)
    client.responses.delete(response.id)
    try:
        client.responses.retrieve(response.id)
        gone = False
    except NotFoundError:
        gone = True
    return {
        "texts": [response.output_text, again.output_text, chat.choices[0].message.content],
        "found": found.output_text,
        "items": len(items.data),
        "last": events[-1],
        "gone": gone,
        "models": [model.id for model in client.models.list()],
    }


print(json.dumps({"mcp": asyncio.run(tools()), "openai": models()}))
