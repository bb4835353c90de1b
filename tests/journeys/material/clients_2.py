"""The official Python client mcp 2.x against a running service, in both eras."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

url, key, project = sys.argv[1:4]
address = f"{url}/api/v1/mcp/project/{project}/streamable"


async def call(mode):
    http = create_mcp_http_client(headers={"x-api-key": key})
    async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:
        tools = await client.list_tools()
        result = await client.call_tool("echo", {"input_value": "from Python"})
        failed = await client.call_tool("echo", {"input_value": 5})
        return {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "text": result.content[0].text,
            "isError": failed.is_error,
        }


async def main():
    return {"auto": await call("auto"), "legacy": await call("legacy")}


print(json.dumps(asyncio.run(main())))
