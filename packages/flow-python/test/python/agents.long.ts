import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { type ChatChunk, type ChatRequest, type Tool, isComponent } from '@x/flow-engine'
import { createMessage, createRegistry, runFlow } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { modelHost } from './model-host.ts'
import { runText, testRunner } from './python-runs.ts'

const runner = testRunner()
const { signal } = new AbortController()

/** Calls the tool first, and then answers with what it said. */
const calling =
  (name: string, args: object) =>
  ({ messages }: ChatRequest): ChatChunk[] => {
    const last = messages.at(-1)
    if (last?.role === 'tool')
      return [{ text: `It is ${typeof last.content === 'string' ? last.content : ''}.` }]
    return [{ toolCall: { id: 'c1', name, args } }]
  }

/** What an agent of the host needs of a run. */
const inRun = {
  step: <T>(_name: string, work: () => T | Promise<T>) => Promise.resolve(work()),
  callTool: (tool: Tool, args: unknown) => tool.call(args, { signal }),
}

const AGENT = `from langchain.agents import create_tool_calling_agent
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from lfx.base.agents.agent import LCToolsAgentComponent
from lfx.io import MessageTextInput
from lfx.schema import Data

@tool
def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"rain in {city}"

class Forecaster(LCToolsAgentComponent):
    display_name = "Forecaster"
    inputs = [*LCToolsAgentComponent.get_base_inputs(), MessageTextInput(name="system_prompt")]

    def get_chat_history_data(self):
        return [Data(data={"text": "earlier", "sender": "User"}), Data(data={"text": "", "sender": "User"})]

    def create_agent_runnable(self):
        self.tools = [*(self.tools or []), weather]
        prompt = ChatPromptTemplate.from_messages([
            ("system", "{system_prompt}"), ("placeholder", "{chat_history}"),
            ("human", "{input}"), ("placeholder", "{agent_scratchpad}"),
        ])
        return create_tool_calling_agent(ChatOpenAI(model="big", temperature=0.1), self.tools, prompt)
`

describe('FF-72: agents of authors', () => {
  const values = { input_value: createMessage('And now?'), system_prompt: 'Be brief', tools: [] }

  test('FF-72: the loop is the host’s, with the prompt, the history and the tools of the code', async () => {
    const { requests, specs, more } = modelHost(calling('weather', { city: 'Oslo' }))
    const method = 'message_response'
    const made = await runText(runner, AGENT, { values, method, more: { ...more, ...inRun } })
    expect(made).toMatchObject({ text: 'It is rain in Oslo.', sender: 'Machine' })
    expect(specs).toMatchObject([{ provider: 'OpenAI', model: 'big' }])
    expect(requests).toHaveLength(2)
    expect(requests[0]).toMatchObject({
      temperature: 0.1,
      tools: [{ name: 'weather', description: 'Tell the weather of a city.' }],
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'earlier' },
        { role: 'user', content: 'And now?' },
      ],
    })
  })

  test('FF-72: max_iterations limits the loop', async () => {
    const { requests, more } = modelHost(() => [
      { toolCall: { id: 'c', name: 'weather', args: { city: 'Rome' } } },
    ])
    const made = await runText(runner, AGENT, {
      values: { ...values, max_iterations: 3 },
      method: 'message_response',
      more: { ...more, ...inRun },
    })
    expect(made).toMatchObject({ text: 'Agent stopped due to max iterations.' })
    expect(requests).toHaveLength(3)
  })

  test('FF-72: invalid arguments are an error when handle_parsing_errors is off', async () => {
    const { more } = modelHost(calling('weather', {}))
    const run = (handle_parsing_errors: boolean) =>
      runText(runner, AGENT, {
        values: { ...values, handle_parsing_errors },
        method: 'message_response',
        more: { ...more, ...inRun },
      })
    await expect(run(false)).rejects.toThrow('The arguments of weather are invalid')
    expect(await run(true)).toMatchObject({ text: expect.stringContaining('invalid') as string })
  })

  test('FF-72: the output of the agent names its tools; a name that models refuse is an error', async () => {
    const { more } = modelHost()
    const options = { values, method: 'build_agent', more: { ...more, ...inRun } }
    expect(await runText(runner, AGENT, options)).toEqual({ tools: ['weather'] })
    const tool: Tool = {
      name: 'two words',
      description: '',
      parameters: { type: 'object', properties: {} },
      call: () => Promise.resolve(''),
    }
    const bad = { ...options, values: { ...values, tools: [tool] } }
    await expect(runText(runner, AGENT, bad)).rejects.toThrow("Invalid tool name 'two words'")
  })

  test('FF-72: ToolCallingAgentComponent takes model, tools and history from edges; message_response may be overridden', async () => {
    const code = `from langflow.components.langchain_utilities.tool_calling import ToolCallingAgentComponent
from langflow.schema.message import Message

class Loud(ToolCallingAgentComponent):
    display_name = "Loud"

    async def message_response(self) -> Message:
        message = await super().message_response()
        message.text = message.text.upper()
        return message
`
    const { requests, more, model } = modelHost(calling('add', { a: 1 }))
    const calls: unknown[] = []
    const tool: Tool = {
      name: 'add',
      description: 'Adds one.',
      parameters: { type: 'object', properties: { a: { type: 'integer' } } },
      call: (args) => (calls.push(args), Promise.resolve(2)),
    }
    const history = [
      createMessage({ text: 'hello', sender: 'User' }),
      createMessage({ text: 'hi', sender: 'Machine' }),
    ]
    const made = await runText(runner, code, {
      values: {
        input_value: 'What is 1 + 1?',
        llm: model,
        tools: [tool],
        chat_history: history,
        system_prompt: '',
      },
      method: 'message_response',
      more: { ...more, ...inRun },
    })
    expect(made).toMatchObject({ text: 'IT IS 2.' })
    expect(calls).toEqual([{ a: 1 }])
    expect(requests[0]?.messages).toMatchObject([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: 'What is 1 + 1?' },
    ])
  })

  test('FF-72: LCAgentComponent with create_react_agent, and AgentExecutor called by the code', async () => {
    const code = `from langchain.agents import AgentExecutor, create_react_agent
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langflow.base.agents.agent import LCAgentComponent

@tool
def count(text: str) -> int:
    """Count characters."""
    return len(text)

class Reacts(LCAgentComponent):
    def build_agent(self) -> AgentExecutor:
        prompt = PromptTemplate.from_template("Tools: {tools} named {tool_names}. Question: {input} {agent_scratchpad}")
        agent = create_react_agent(ChatOpenAI(), [count], prompt)
        return AgentExecutor(agent=agent, tools=[count], max_iterations=2)

    def create_agent_runnable(self):
        return self.build_agent().agent

    def spoken(self) -> str:
        return self.build_agent().invoke({"input": self.input_value.text})["output"]
`
    const react = ({ messages }: ChatRequest): ChatChunk[] =>
      messages.at(-1)?.role === 'tool'
        ? [{ text: 'Thought: I know.\nFinal Answer: five' }]
        : [{ toolCall: { id: 'c', name: 'count', args: { text: 'abcde' } } }]
    const { requests, more } = modelHost(react)
    const options = {
      values: { input_value: createMessage('How long?') },
      more: { ...more, ...inRun },
    }
    const made = await runText(runner, code, { ...options, method: 'message_response' })
    expect(made).toMatchObject({ text: 'five' })
    expect(requests[0]?.messages).toMatchObject([
      {
        role: 'user',
        content: 'Tools: count - Count characters. named count. Question: How long? ',
      },
    ])
    expect(await runText(runner, code, { ...options, method: 'spoken' })).toBe('five')
  })

  test('FF-72: in a flow the steps are those of one message, which is stored once', async () => {
    const component = await runner.load(AGENT, { signal, userId: 'ann' })
    if (!isComponent(component)) throw new Error('no component')
    const flow = flowBuilder('forecast')
    flow.add('ChatInput', { id: 'ChatInput-1' })
    flow.add(component, { id: 'Forecaster-1' })
    flow.add('ChatOutput', { id: 'ChatOutput-1' })
    flow
      .connect('ChatInput-1.message', 'Forecaster-1.input_value')
      .connect('Forecaster-1.response', 'ChatOutput-1.input_value')
    const json = flow.toJSON()
    const node = json.data?.nodes?.find(({ id }) => id === 'Forecaster-1')?.data.node
    if (node !== undefined)
      node.template.code = { ...node.template.code, type: 'code', value: AGENT }
    const { more } = modelHost(calling('weather', { city: 'Bern' }))
    const services = { ...createMemoryServices(), ...more.services, codeRunner: runner }
    const started = runFlow(json, {
      components: createRegistry(builtinComponents),
      services,
      input: 'How is Bern?',
      sessionId: 'session',
    })
    const events = await collectEvents(started)
    expect((await started.result).text()).toBe('It is rain in Bern.')
    expect(events.some(({ event }) => event === 'token')).toBe(true)
    const stored = (await services.messages?.list({})) ?? []
    expect(stored.map(({ text }) => text)).toEqual(['How is Bern?', 'It is rain in Bern.'])
    expect(JSON.stringify(stored.at(-1)?.contentBlocks)).toContain('Executed **weather**')
  })
})
