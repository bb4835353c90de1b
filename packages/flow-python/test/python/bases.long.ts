// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import type { ChatChunk, Tool } from '@x/flow-engine'
import { isChatModel, isTool } from '@x/flow-engine/models'
import { modelHost } from './model-host.ts'
import { runText, testRunner, type RunOptions } from './python-runs.ts'

const runner = testRunner()

const MODEL = `from lfx.base.models.model import LCModelComponent
from lfx.field_typing import LanguageModel
from lfx.io import SecretStrInput, StrInput
from langchain_openai import ChatOpenAI
from pydantic.v1 import SecretStr

class Mine(LCModelComponent):
    display_name = "Mine"
    inputs = [*LCModelComponent.get_base_inputs(), SecretStrInput(name="api_key"), StrInput(name="api_base")]

    def build_model(self) -> LanguageModel:
        return ChatOpenAI(
            model_name="big", api_key=SecretStr(self.api_key).get_secret_value(), base_url=self.api_base,
            temperature=0.3, max_tokens=7, timeout=9, max_retries=2, seed=5, model_kwargs={"top_k": 3},
            default_headers={"X-Team": "a"}, streaming=True, odd=1,
        )
`

describe('LCModelComponent', () => {
  const values = { input_value: 'Hello', system_message: 'Be brief', api_key: 'k', api_base: '' }

  test('FF-70: text_response asks the host’s model with the arguments of the stand-in', async () => {
    const { specs, requests, more } = modelHost()
    const method = 'text_response'
    expect(await runText(runner, MODEL, { values, method, more })).toMatchObject({ text: 'Hi!' })
    expect(specs).toEqual([
      {
        provider: 'OpenAI',
        model: 'big',
        apiKey: 'k',
        options: { body: { top_k: 3 }, headers: { 'X-Team': 'a' }, maxRetries: 2, timeoutMs: 9000 },
      },
    ])
    expect(requests).toMatchObject([
      {
        temperature: 0.3,
        maxTokens: 7,
        seed: 5,
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Hello' },
        ],
      },
    ])
  })

  test('FF-70: build_model gives a model of the host to other components', async () => {
    const { more, requests } = modelHost()
    const made = await runText(runner, MODEL, { values, method: 'build_model', more })
    if (!isChatModel(made)) throw new Error('no model')
    const { signal } = new AbortController()
    const chunks: ChatChunk[] = []
    for await (const chunk of made.stream({ messages: [], signal })) chunks.push(chunk)
    expect(chunks).toEqual([{ text: 'Hi!' }])
    expect(requests).toMatchObject([{ temperature: 0.3, model: 'big' }])
  })

  test('FF-70: with streaming the pieces are read one by one', async () => {
    const { more, requests } = modelHost(() => [{ text: 'one ' }, { text: 'two' }])
    const streamed = { ...values, stream: true }
    const made = await runText(runner, MODEL, { values: streamed, method: 'text_response', more })
    expect(made).toMatchObject({ text: 'one two' })
    expect(requests[0]?.stream).toBe(true)
  })

  test('FF-70: chains, structured answers and settings of a call work in Python', async () => {
    const { more, requests } = modelHost(({ responseFormat }) => [
      { text: responseFormat === undefined ? 'plain' : '{"city": "Oslo"}' },
    ])
    const code = `from langchain_anthropic import ChatAnthropic
from langchain_core.output_parsers import StrOutputParser, JsonOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from pydantic import BaseModel
from langflow.custom import Component

class Place(BaseModel):
    city: str

class Mine(Component):
    async def work(self):
        model = ChatAnthropic(model="c", anthropic_api_key="k")
        prompt = ChatPromptTemplate.from_messages([("system", "You know {topic}."), MessagesPlaceholder("past", optional=True), ("human", "{question}")])
        chain = {"topic": lambda _: "towns", "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
        said = await chain.ainvoke("Where?")
        place = model.with_structured_output(Place).invoke("Where?")
        jsons = (PromptTemplate.from_template("{x}") | model.bind(response_format={"type": "json_object"}) | JsonOutputParser()).invoke({"x": "1"})
        pieces = [one.content async for one in model.astream("Go")]
        return [said, place.city, jsons, pieces, (RunnableLambda(lambda x: x + 1) | (lambda x: x * 2)).invoke(3)]
`
    const made = await runText(runner, code, { more })
    expect(made).toEqual(['plain', 'Oslo', { city: 'Oslo' }, ['plain'], 8])
    expect(requests[0]?.messages).toEqual([
      { role: 'system', content: 'You know towns.' },
      { role: 'user', content: 'Where?' },
    ])
    expect(requests.map(({ responseFormat }) => responseFormat)).toMatchObject([
      undefined,
      { name: 'Place', schema: { type: 'object' } },
      'json',
      undefined,
    ])
  })

  test.each([
    [
      'langchain_openai',
      'AzureChatOpenAI(azure_endpoint="https://a.example", azure_deployment="d", api_version="v", api_key="k")',
      {
        provider: 'Azure OpenAI',
        baseUrl: 'https://a.example',
        options: { deployment: 'd', apiVersion: 'v' },
      },
    ],
    [
      'langchain_ollama',
      'ChatOllama(model="l", base_url="http://o.example")',
      { provider: 'Ollama', model: 'l', baseUrl: 'http://o.example' },
    ],
    [
      'langchain_google_genai',
      'ChatGoogleGenerativeAI(model="g", google_api_key="k")',
      { provider: 'Google Generative AI', apiKey: 'k' },
    ],
    ['langchain_groq', 'ChatGroq(model="q", groq_api_key="k")', { provider: 'Groq', model: 'q' }],
    [
      'langchain_mistralai',
      'ChatMistralAI(model_name="m", api_key="k")',
      { provider: 'Mistral', model: 'm' },
    ],
    [
      'langchain_ibm',
      'ChatWatsonx(model_id="w", apikey="k", url="https://i.example", project_id="p", params={"max_new_tokens": 4})',
      { provider: 'IBM WatsonX', model: 'w', options: { projectId: 'p' } },
    ],
    [
      'langchain_community.chat_models',
      'ChatOpenAI(model="gpt", openai_api_key="k")',
      { provider: 'OpenAI', model: 'gpt' },
    ],
  ])('FF-70: %s: %s', async (module, call, expected) => {
    const { more, specs } = modelHost()
    const name = call.split('(', 1)[0]
    const code = `from ${module} import ${name}
from langflow.custom import Component

class Mine(Component):
    def work(self):
        return ${call}.invoke("hi").content
`
    expect(await runText(runner, code, { more })).toBe('Hi!')
    expect(specs).toMatchObject([expected])
  })
})

const TOOL = `from enum import Enum
from typing import Optional
from langflow.base.langchain_utilities.model import LCToolComponent
from langflow.field_typing import Tool
from langflow.schema import Data
from langchain.tools import StructuredTool
from pydantic import BaseModel, Field

class Unit(str, Enum):
    km = "km"
    mile = "mile"

class Place(BaseModel):
    city: str

class Arguments(BaseModel):
    start: Place
    unit: Unit = Unit.km
    stops: list[str] = Field(default_factory=list, description="Towns on the way")
    note: Optional[str] = None

class Mine(LCToolComponent):
    display_name = "Mine"

    def run_model(self) -> Data:
        return Data(data={"calls": self.count()})

    def count(self):
        self.calls = getattr(self, "calls", 0) + 1
        return self.calls

    def build_tool(self) -> Tool:
        return StructuredTool.from_function(name="measure way", description="Measures", func=self._go, args_schema=Arguments, return_direct=True)

    def _go(self, start, unit=None, stops=None, note=None):
        if start.city == "nowhere":
            raise ValueError("There is no way")
        return {"from": start.city, "unit": unit.value, "stops": stops, "calls": self.count()}
`

async function toolsOf(code: string, options: RunOptions = {}): Promise<Tool[]> {
  const made = await runText(runner, code, { method: 'build_tool', ...options })
  return [made].flat().filter(isTool)
}

const { signal } = new AbortController()

describe('LCToolComponent', () => {
  test('FF-71: build_tool gives a tool whose calls run on the instance that made it', async () => {
    const [tool] = await toolsOf(TOOL)
    expect(tool).toMatchObject({
      name: 'measure-way',
      description: 'Measures',
      returnDirect: true,
      parameters: {
        type: 'object',
        required: ['start'],
        properties: {
          start: { $ref: '#/$defs/Place' },
          unit: { default: expect.anything() },
          stops: { type: 'array', items: { type: 'string' }, description: 'Towns on the way' },
        },
      },
    })
    const ask = (city: string) => tool?.call({ start: { city }, stops: ['B'] }, { signal })
    const expected = { from: 'A', unit: 'km', stops: ['B'] }
    expect(await Promise.all([ask('A'), ask('A')])).toEqual([
      { ...expected, calls: 1 },
      { ...expected, calls: 2 },
    ])
    await expect(ask('nowhere')).rejects.toThrow(/^There is no way$/)
    expect(await ask('A')).toEqual({ ...expected, calls: 3 })
  })

  test('FF-71: run_model gives the data', async () => {
    const made = await runText(runner, TOOL, { method: 'run_model' })
    expect(made).toMatchObject({ data: { calls: 1 } })
  })

  test('FF-71: tools are functions, classes, texts and lists, also made by an asynchronous method', async () => {
    const code = `from langchain_core.tools import BaseTool, Tool, ToolException, tool
from lfx.base.langchain_utilities.model import LCToolComponent

@tool
def double(number: int) -> int:
    "Doubles a number"
    return number * 2

class Greet(BaseTool):
    name: str = "greet"
    description: str = "Greets"
    word: str = "Hello"

    async def _arun(self, who: str):
        if who == "":
            raise ToolException("Who?")
        return f"{self.word} {who}"

class Mine(LCToolComponent):
    async def build_tool(self):
        return [double, Greet(word="Hi"), Tool(name="echo", description="Echoes", func=lambda text: text + "!")]
`
    const tools = await toolsOf(code)
    expect(tools.map(({ name }) => name)).toEqual(['double', 'greet', 'echo'])
    const results = [{ number: 4 }, { who: 'Ann' }, { __arg1: 'x' }].map(async (args, at) =>
      tools[at]?.call(args, { signal }),
    )
    expect(await Promise.all(results)).toEqual([8, 'Hi Ann', 'x!'])
    await expect(tools[1]?.call({ who: '' }, { signal })).rejects.toThrow('Who?')
    expect(tools[1]?.parameters).toMatchObject({ properties: { who: { type: 'string' } } })
    expect(tools[2]?.parameters).toMatchObject({ properties: { __arg1: { type: 'string' } } })
  })

  test('FF-71: a tool whose interpreter has ended is made again', async () => {
    const small = testRunner({ idleMs: 1, warm: 0 })
    const made = await runText(small, TOOL, { method: 'build_tool' })
    if (!isTool(made)) throw new Error('no tool')
    const ask = () => made.call({ start: { city: 'A' } }, { signal })
    expect(await ask()).toMatchObject({ from: 'A' })
    expect(await ask()).toMatchObject({ from: 'A' })
  })

  test('FF-71: tools that the code gives to a model of the host are called while it waits', async () => {
    const values = {
      helper: {
        name: 'helper',
        description: 'Calls the tool it gets',
        parameters: {},
        call: (args: unknown) => {
          const { tool } = args as { tool: unknown }
          return isTool(tool) ? tool.call({ text: 'hi' }, { signal }) : 'none'
        },
      },
    }
    const code = `from langchain_core.tools import Tool
from langflow.custom import Component

class Mine(Component):
    def work(self):
        return self.helper.invoke({"tool": Tool(name="up", func=lambda text: text.upper(), description="d")})
`
    expect(await runText(runner, code, { values })).toBe('HI')
  })
})

describe('ChatComponent', () => {
  const CHAT = `from lfx.base.io.chat import ChatComponent
from lfx.io import MessageTextInput, Output
from lfx.schema.message import Message

class Mine(ChatComponent):
    display_name = "Mine"
    inputs = [MessageTextInput(name="input_value", input_types=["Message"])]
    outputs = [Output(display_name="Message", name="message", method="answer")]

    def answer(self) -> Message:
        source, icon, display_name, source_id = self.get_properties_from_source_component()
        return Message(text=f"{source} {icon} {display_name} {source_id}")
`

  test('FF-70: tells what its message comes from, and None for what nobody told', async () => {
    const values = { input_value: 'Hello' }
    expect(await runText(runner, CHAT, { values, method: 'answer' })).toMatchObject({
      text: 'None None None None',
    })
  })
})
