import type { NodeDetails } from '@x/flow-engine'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { besideHealth, IN_TIME } from '../attacks/attack.ts'
import { addUser } from '../attacks/flows.ts'
import {
  buildFlow,
  catalogueNode,
  flowOf,
  importFlow,
  messageOf,
  nodeOf,
  runFlow,
  sharedService,
} from './flow-calls.ts'
import { startSite, type Site } from './python-site.ts'
import type { Answer } from './service.ts'

const model = await startFakeOpenAi()
afterAll(() => model.close())
let site: Site
beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site.close())

const service = sharedService({
  SERVICE_PYTHON: 'true',
  SERVICE_PYTHON_TIMEOUT_MS: '3000',
  SERVICE_PYTHON_MEMORY_MB: '128',
  SERVICE_PYTHON_ENV: 'CITY,UNSET',
  SERVICE_SSRF_ALLOW: 'localhost',
  CITY: 'Turin',
  OPENAI_BASE_URL: model.url,
})

/** A component of one text input whose method has this body, as an author writes it. */
function codeOf(body: string, name = 'Mine'): string {
  const lines = body.split('\n').map((line) => `        ${line}`)
  return `import json
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema import Data, Message


class ${name}(Component):
    display_name = "${name}"
    description = "What an author wrote."
    icon = "sparkles"
    inputs = [MessageTextInput(name="text", display_name="Text", info="Any text", tool_mode=True)]
    outputs = [Output(name="result", display_name="Result", method="work")]

    def work(self) -> Message:
${lines.join('\n')}
`
}

/** The node that the editor draws of a code text. */
async function drawn(code: string, key?: string): Promise<{ data: NodeDetails; type: string }> {
  const options = { body: { code }, ...(key === undefined ? {} : { key }) }
  const answer = await service().call('POST', '/api/v1/custom_component', options)
  expect(answer.text).not.toContain('"error"')
  return answer.json() as { data: NodeDetails; type: string }
}

/** Stores a flow of chat input, the component and chat output. */
async function storeAround(middle: NodeDetails, type: string, key?: string): Promise<string> {
  const nodes = {
    in: nodeOf('ChatInput-a', 'ChatInput', await catalogueNode(service(), 'ChatInput')),
    middle: nodeOf(`${type}-x1`, type, middle),
    out: nodeOf('ChatOutput-b', 'ChatOutput', await catalogueNode(service(), 'ChatOutput')),
  }
  const field = 'text' in middle.template ? 'text' : 'input_value'
  const edges = [
    ['in.message', `middle.${field}`],
    [`middle.${middle.outputs?.[0]?.name ?? ''}`, 'out.input_value'],
  ] as const
  return importFlow(service(), flowOf('around', nodes, edges), key === undefined ? {} : { key })
}

async function answerOf(body: string, input = 'hello', key?: string): Promise<Answer> {
  const { data, type } = await drawn(codeOf(body), key)
  const id = await storeAround(data, type, key)
  return runFlow(service(), id, input, key === undefined ? {} : { key })
}

describe('an author', () => {
  test('PY-21: runs a flow with a component of their own, also after a restart', async () => {
    const { data, type } = await drawn(
      codeOf('self.status = "done"\nreturn Message(text=json.dumps({"said": self.text.upper()}))'),
    )
    const id = await storeAround(data, type)
    expect(messageOf(await runFlow(service(), id, 'one'))).toBe('{"said": "ONE"}')
    await service().restart()
    expect(messageOf(await runFlow(service(), id, 'two'))).toBe('{"said": "TWO"}')
  })

  test('PY-40: gets the node that the code describes', async () => {
    const { data, type } = await drawn(codeOf('return self.text', 'TitleCase'))
    expect(type).toBe('TitleCase')
    expect(data).toMatchObject({
      display_name: 'TitleCase',
      description: 'What an author wrote.',
      icon: 'sparkles',
      base_classes: ['Message'],
      field_order: ['text'],
      metadata: { module: 'custom_components.titlecase' },
      outputs: [
        {
          name: 'result',
          display_name: 'Result',
          method: 'work',
          types: ['Message'],
          selected: 'Message',
        },
      ],
      template: {
        _type: 'Component',
        text: { _input_type: 'MessageTextInput', type: 'str', info: 'Any text', tool_mode: true },
      },
    })
  })

  test('PY-43: gets a syntax error with its line', async () => {
    const answer = await service().call('POST', '/api/v1/custom_component', {
      body: { code: 'from langflow.custom import Component\nclass A(Component)\n    pass\n' },
    })
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({
      detail: { error: "Error building Component: expected ':' (line 2)", traceback: '' },
    })
  })

  test('PY-42: changes the template when a field changes', async () => {
    const code = `${codeOf('return self.text')}
    def update_build_config(self, build_config, field_value, field_name=None):
        build_config["text"]["info"] = f"{field_name} is {field_value}"
        build_config.text.show = field_value != "hide"
        return build_config
`
    const { data } = await drawn(code)
    const answer = await service().call('POST', '/api/v1/custom_component/update', {
      body: { code, template: data.template, field: 'text', field_value: 'hide' },
    })
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({
      template: { text: { info: 'text is hide', show: false } },
      outputs: [{ name: 'result', types: ['Message'] }],
    })
  })

  test('PY-50: an edited Text Input runs its own code', async () => {
    const node = await catalogueNode(service(), 'TextInput')
    const code = `from langflow.base.io.text import TextComponent
from langflow.io import MultilineInput, Output
from langflow.schema.message import Message


class TextInputComponent(TextComponent):
    display_name = "Text Input"
    name = "TextInput"
    inputs = [MultilineInput(name="input_value", display_name="Text")]
    outputs = [Output(display_name="Output Text", name="text", method="text_response")]

    def text_response(self) -> Message:
        return Message(text=f"edited {self.input_value}")
`
    const { code: field } = node.template
    const edited: NodeDetails = {
      ...node,
      edited: true,
      template: { ...node.template, code: { ...field, value: code } },
    }
    const id = await storeAround(edited, 'TextInput')
    expect(messageOf(await runFlow(service(), id, 'text'))).toBe('edited text')
  })

  test('PY-30: gets an error that names the missing package and the node', async () => {
    const code = codeOf('return self.text').replace('import json', 'import openai')
    const refused = await service().call('POST', '/api/v1/custom_component', { body: { code } })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('needs the Python package \\"openai\\"')

    const { data } = await drawn(codeOf('return self.text'))
    const { code: field } = data.template
    const node = { ...data, template: { ...data.template, code: { ...field, value: code } } }
    const answer = await runFlow(service(), await storeAround(node, 'Mine'), 'x')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).toMatch(/The component Mine \(Mine-x1\) needs the Python package/)
    expect(answer.text).toContain('Replace the node by Language Model')
  })

  test('PY-54: gets the exception message and the line in their own code', async () => {
    const { data, type } = await drawn(codeOf('raise ValueError(f"cannot use {self.text!r}")'))
    const id = await storeAround(data, type)
    const events = await buildFlow(service(), id)
    const built = JSON.stringify(events.filter(({ event }) => event === 'end_vertex'))
    expect(built).toContain("cannot use '' (line 15, work)")
    expect(built).not.toMatch(/_flow|<frozen|Traceback|worker\.mjs/)
  })

  test('PY-53: gives an agent the component as a tool', async () => {
    const code = codeOf('return f"the tide at {self.text} is low"', 'Tides')
    const { data, type } = await drawn(code)
    const switched = await service().call('POST', '/api/v1/custom_component/update', {
      body: {
        code,
        template: data.template,
        field: 'tool_mode',
        field_value: true,
        tool_mode: true,
      },
    })
    expect(switched.status).toBe(200)
    const tool = { ...(switched.json() as NodeDetails), tool_mode: true }
    const agent = await catalogueNode(service(), 'Agent')
    const key = { ...agent.template['api_key'], value: 'sk-journey', load_from_db: false }
    const nodes = {
      in: nodeOf('ChatInput-a', 'ChatInput', await catalogueNode(service(), 'ChatInput')),
      tides: nodeOf('Tides-x1', type, tool),
      agent: nodeOf('Agent-c', 'Agent', {
        ...agent,
        template: { ...agent.template, api_key: key },
      }),
      out: nodeOf('ChatOutput-b', 'ChatOutput', await catalogueNode(service(), 'ChatOutput')),
    }
    const edges = [
      ['in.message', 'agent.input_value'],
      ['tides.component_as_tool', 'agent.tools'],
      ['agent.response', 'out.input_value'],
    ] as const
    const id = await importFlow(service(), flowOf('tool', nodes, edges))
    model.reply({ toolCalls: [{ name: 'work', args: { text: 'noon' } }] }, 'Low, at noon')
    expect(messageOf(await runFlow(service(), id, 'How is the tide at noon?'))).toBe('Low, at noon')
    expect(JSON.stringify(model.requests.at(-1))).toContain('the tide at noon is low')
  })

  test('PY-54: does not see secrets in errors, logs or printed output', async () => {
    const body =
      'print(self.key)\nself.log(self.key)\nself.status = self.key\nif self.text == "fail": raise ValueError(self.key)\nreturn "ok"'
    const head = 'inputs = [SecretStrInput(name="key", display_name="Key", load_from_db=False), '
    const code = codeOf(body)
      .replace('inputs = [', head)
      .replace('import MessageTextInput', 'import SecretStrInput, MessageTextInput')
    const { data, type } = await drawn(code)
    const { key } = data.template
    const node = {
      ...data,
      template: { ...data.template, key: { ...key, value: 'sk-very-secret' } },
    }
    const id = await storeAround(node, type)
    const failed = await runFlow(service(), id, 'fail')
    expect(failed.status).toBeGreaterThanOrEqual(400)
    expect(failed.text).toContain('***')
    const events = JSON.stringify(await buildFlow(service(), id))
    expect(events).toContain('end_vertex')
    expect(failed.text + events + service().output()).not.toContain('sk-very-secret')
  })

  test('PY-9: can read only the environment variables that the operator allows', async () => {
    const answer = await answerOf(
      'import os\nreturn ",".join(sorted(os.environ)) + os.getenv("CITY")',
    )
    expect(messageOf(answer)).toBe('CITY,HOME,LANG,PATH,TMPDIR,TZTurin')
  })

  test('PY-10: fetches pages with requests', async () => {
    const body = `import requests
made = requests.post("{url}/echo", json={"a": 1}, timeout=5)
made.raise_for_status()
return f"{made.status_code} {made.json()['body']}"`
    const answer = await answerOf(body.replace('{url}', site.url))
    expect(messageOf(answer)).toBe('200 {"a": 1}')
  })

  test("PY-10: cannot reach the server's loopback addresses", async () => {
    const body = `import requests
try:
    requests.get("http://127.0.0.1:${new URL(service().url).port}/health")
except requests.exceptions.ConnectionError as error:
    return str(error)`
    expect(messageOf(await answerOf(body))).toBe('127.0.0.1 is not an allowed address')
  })

  test('PY-7: cannot read files of the server', async () => {
    const answer = await answerOf('return open("/etc/passwd").read()')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).toContain("No such file or directory: '/etc/passwd'")
    expect(answer.text).not.toContain('root:')
  })
})

describe('misbehaving code does not affect other clients', () => {
  let ada = ''
  beforeAll(async () => {
    ada = await addUser(service(), 'ada')
  })

  /** Runs the body beside an honest client; gives what each was answered, and the slowest `/health`. */
  async function beside(body: string) {
    const { result, slowest } = await besideHealth(service(), async () => {
      const bad = answerOf(body)
      const honest = await answerOf('return f"honest {self.text}"', 'ada', ada)
      return { honest: messageOf(honest), bad: await bad }
    })
    return { ...result, slowest }
  }

  test.each([
    [
      'PY-11: an endless loop that catches everything',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
      'Mine: time limit of 3 s',
    ],
    [
      'PY-12: a memory bomb',
      'bomb = []\nwhile True: bomb.append(bytearray(5_000_000))',
      'Mine: memory limit of 128 MB',
    ],
  ])('%s', async (_name, body, why) => {
    const { honest, bad, slowest } = await beside(body)
    expect(honest).toBe('honest ada')
    expect(bad.status).toBeGreaterThanOrEqual(400)
    expect(bad.text).toContain(why)
    expect(slowest).toBeLessThan(IN_TIME)
  })

  test('PY-13: forty endless components of one user do not block another user', async () => {
    const { data, type } = await drawn(codeOf('while True: pass'))
    const id = await storeAround(data, type)
    const { result, slowest } = await besideHealth(service(), async () => {
      const stop = new AbortController()
      const body = { input_value: 'x' }
      const endless = Array.from({ length: 40 }, () =>
        service()
          .call('POST', `/api/v1/run/${id}`, { body, signal: stop.signal })
          .catch(() => undefined),
      )
      const begun = performance.now()
      const honest = await answerOf('return "served"', 'x', ada)
      const ms = performance.now() - begun
      stop.abort()
      await Promise.all(endless)
      return { honest: messageOf(honest), ms }
    })
    expect(result.honest).toBe('served')
    expect(result.ms).toBeLessThan(20_000)
    expect(slowest).toBeLessThan(IN_TIME)
  })
})
