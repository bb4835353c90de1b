// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import type { ChatModel, ChatRequest } from '@x/flow-engine'
import { componentOf, run, runText, testRunner } from './python-runs.ts'

const runner = testRunner()

describe('host objects', () => {
  test('PY-33: a model, embeddings and a tool of the host are used from Python', async () => {
    const values = {
      model: {
        name: 'm',
        async *stream({ messages }: { messages: { content: string }[] }) {
          yield { text: `<${messages[0]?.content}>` }
        },
      },
      embeddings: {
        embed: (texts: string[]) => Promise.resolve(texts.map((text) => [text.length])),
      },
      tool: {
        name: 'add',
        description: 'Adds',
        parameters: {},
        call: (args: unknown) => Promise.resolve(args),
      },
    }
    const body = `return [self.model.invoke("hi").content, self.embeddings.embed_query("abc"),
        self.tool.name, self.tool.invoke({"a": 1}), self.model]`
    const found = await run(runner, body, { values })
    expect(found).toEqual(['<hi>', [3], 'add', { a: 1 }, values.model])
  })
})

describe('tools of a model', () => {
  test('PY-33: bind_tools passes tools to the model, and calls and results are exchanged', async () => {
    const requests: ChatRequest[] = []
    const model: ChatModel = {
      name: 'm',
      async *stream(request) {
        requests.push(request)
        if (requests.length === 1) {
          yield { toolCall: { id: 'c1', name: 'add', args: { a: 2, b: 3 } } }
          yield { usage: { inputTokens: 4, outputTokens: 2 }, finish: 'tool_calls' }
        } else yield { text: 'It is 5.' }
      },
    }
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const weather = {
      name: 'weather',
      description: 'Tells the weather',
      parameters,
      call: () => Promise.resolve('sunny'),
    }
    const head = `from typing import Optional
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

@tool
def add(a: int, b: int = 1, tags: Optional[list[str]] = None) -> int:
    "Adds two numbers"
    return a + b

class Search(BaseModel):
    "Searches"
    query: str = Field(description="What for")`
    const body = `plain = {"type": "function", "function": {"name": "plain", "description": "Plain", "parameters": {"type": "object"}}}
bound = self.model.bind_tools([add, Search, self.tool, plain], tool_choice="add")
asked = [HumanMessage(content="2 + 3?")]
answer = bound.invoke(asked)
[call] = answer.tool_calls
result = add.invoke(call["args"])
last = bound.invoke([*asked, answer, ToolMessage(content=str(result), tool_call_id=call["id"])])
return [answer.tool_calls, answer.usage_metadata, last.content, last.tool_calls]`
    expect(
      await runText(runner, componentOf(body, head), { values: { model, tool: weather } }),
    ).toEqual([
      [{ id: 'c1', name: 'add', args: { a: 2, b: 3 }, type: 'tool_call' }],
      { input_tokens: 4, output_tokens: 2, total_tokens: 6 },
      'It is 5.',
      [],
    ])
    const [first, second] = requests
    expect(first?.toolChoice).toBe('add')
    expect(first?.tools).toMatchObject([
      {
        name: 'add',
        description: 'Adds two numbers',
        parameters: {
          type: 'object',
          properties: {
            a: { type: 'integer' },
            b: { type: 'integer' },
            tags: { type: 'array', items: { type: 'string' } },
          },
          required: ['a'],
        },
      },
      {
        name: 'Search',
        description: 'Searches',
        parameters: { properties: { query: { type: 'string', description: 'What for' } } },
      },
      { name: 'weather', description: 'Tells the weather', parameters },
      { name: 'plain', description: 'Plain', parameters: { type: 'object' } },
    ])
    expect(second?.messages).toEqual([
      { role: 'user', content: '2 + 3?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'add', args: { a: 2, b: 3 } }],
      },
      { role: 'tool', content: '5', toolCallId: 'c1' },
    ])
  })

  test('PY-33: a query is embedded with embedQuery when the model has it', async () => {
    const embeddings = {
      embed: (texts: string[]) => Promise.resolve(texts.map(() => [1])),
      embedQuery: () => Promise.resolve([2]),
    }
    const body = 'return [self.e.embed_query("a"), self.e.embed_documents(["a", "b"])]'
    expect(await run(runner, body, { values: { e: embeddings } })).toEqual([[2], [[1], [1]]])
  })

  test('PY-33: an invalid tool is refused', async () => {
    const model = { name: 'm', async *stream() {} }
    const body = 'return self.model.bind_tools([{"description": "no name"}]).invoke("hi")'
    await expect(run(runner, body, { values: { model } })).rejects.toThrow('A tool needs a name')
  })
})

describe('nested code', () => {
  test('PY-33: a tool that is also a Python component runs beside its caller', async () => {
    const alone = testRunner({ maxInterpreters: 1, maxPerUser: 1, timeoutMs: 60_000 })
    const tool = (body: string, value?: unknown) => ({
      name: 'inner',
      description: 'Runs more code',
      parameters: {},
      call: () => run(alone, body, value === undefined ? {} : { values: { tool: value } }),
    })
    const ask = 'return self.tool.invoke({})'
    expect(await run(alone, ask, { values: { tool: tool('return "inside"') } })).toBe('inside')
    const third = tool(ask, tool('return "too deep"'))
    await expect(run(alone, ask, { values: { tool: third } })).rejects.toThrow(
      'Too many of your code components are running',
    )
    await alone.close()
  })
})
