import { readFileSync } from 'node:fs'
import type { NodeDetails } from '@x/flow-engine'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, describe, expect, test } from 'vitest'
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
import type { Service } from './service.ts'

const model = await startFakeOpenAi()
afterAll(() => model.close())

const guide = readFileSync(
  new URL('../../docs/guides/write-a-component.md', import.meta.url),
  'utf8',
)
/** The first block of code of the guide. */
const GUIDE_CODE = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

/** A component with one text in and one text out that does what `body` says. */
const codeOf = (body: string, type = 'Mine'): string => `
import { defineComponent, field, output } from '@x/flow-engine'
export default defineComponent({
  type: '${type}',
  displayName: '${type}',
  inputs: { text: field.multiline({ displayName: 'Text', toolMode: true }) },
  outputs: { result: output.message({ displayName: 'Result', run({ text }, ctx) { ${body} } }) },
})
`

/** Makes a node of the code as the editor does, and a flow around it: chat input, node, chat output. */
async function storeFlow(service: Service, code: string): Promise<string> {
  const made = await service.call('POST', '/api/v1/custom_component', { body: { code } })
  expect(made.text).not.toContain('"error"')
  const { data, type } = made.json() as { data: NodeDetails; type: string }
  return importFlow(service, await flowAround(service, nodeOf(`${type}-x1`, type, data)))
}

async function flowAround(service: Service, middle: ReturnType<typeof nodeOf>) {
  const { template, outputs } = middle.data.node
  const [input = ''] = Object.keys(template).filter((name) => /^(text|input_value)$/.test(name))
  const nodes = {
    in: nodeOf('ChatInput-a', 'ChatInput', await catalogueNode(service, 'ChatInput')),
    middle,
    out: nodeOf('ChatOutput-b', 'ChatOutput', await catalogueNode(service, 'ChatOutput')),
  }
  return flowOf('around', nodes, [
    ['in.message', `middle.${input}`],
    [`middle.${outputs?.[0]?.name ?? ''}`, 'out.input_value'],
  ])
}

describe('with the code runner on', () => {
  const service = sharedService({
    SERVICE_CODE_RUNNER: 'true',
    SERVICE_CODE_RUNNER_SECONDS: '4',
    OPENAI_BASE_URL: model.url,
  })

  test('FE-44 a component in TypeScript runs in a flow, also after a restart', async () => {
    const id = await storeFlow(service(), codeOf('return `<${text}> for ${ctx.displayName}`'))
    expect(messageOf(await runFlow(service(), id, 'one'))).toBe('<one> for Mine')
    await service().restart()
    expect(messageOf(await runFlow(service(), id, 'two'))).toBe('<two> for Mine')
  })

  test('the first component of the guide runs as pasted', async () => {
    expect(GUIDE_CODE).toContain('defineComponent')
    const id = await storeFlow(service(), GUIDE_CODE)
    expect(messageOf(await runFlow(service(), id, 'quiet'))).toBe('QUIET')
    expect(
      (
        await service().call('POST', '/api/v1/validate/code', { body: { code: GUIDE_CODE } })
      ).json(),
    ).toEqual({
      imports: { errors: [] },
      function: { errors: [] },
    })
  })

  test('FE-44 endless loops and excessive memory use end with a clear error; the server keeps running', async () => {
    const endless = await storeFlow(service(), codeOf('for (;;) text += ""', 'Endless'))
    const hog = await storeFlow(
      service(),
      codeOf('const all = []; for (;;) all.push(new Uint8Array(1048576))', 'Hog'),
    )
    const [late, full] = await Promise.all([
      runFlow(service(), endless, 'x'),
      runFlow(service(), hog, 'x'),
    ])
    expect(late.status).toBe(500)
    expect(late.text).toContain('time limit of 4 seconds')
    expect(full.status).toBe(500)
    expect(full.text).toContain('memory limit')
    expect((await service().call('GET', '/health')).status).toBe(200)
  })

  test("FE-42 an agent uses a user's component as a tool", async () => {
    const code = codeOf('return `the tide at ${text} is low`', 'Tides')
    const made = await service().call('POST', '/api/v1/custom_component', { body: { code } })
    const { data, type } = made.json() as { data: NodeDetails; type: string }
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
    const withKey = {
      ...agent.template,
      api_key: { ...agent.template['api_key'], value: 'sk-journey', load_from_db: false },
    } as NodeDetails['template']
    const id = await importFlow(
      service(),
      flowOf(
        'tool',
        {
          in: nodeOf('ChatInput-a', 'ChatInput', await catalogueNode(service(), 'ChatInput')),
          tides: nodeOf('Tides-x1', type, tool),
          agent: nodeOf('Agent-c', 'Agent', { ...agent, template: withKey }),
          out: nodeOf('ChatOutput-b', 'ChatOutput', await catalogueNode(service(), 'ChatOutput')),
        },
        [
          ['in.message', 'agent.input_value'],
          ['tides.component_as_tool', 'agent.tools'],
          ['agent.response', 'out.input_value'],
        ],
      ),
    )
    model.reply('nothing to look up')
    await runFlow(service(), id, 'hello')
    const [name = ''] = toolNames(model.requests.at(-1))
    model.reply({ toolCalls: [{ name, args: { text: 'noon' } }] }, 'Low, at noon')
    expect(messageOf(await runFlow(service(), id, 'How is the tide at noon?'))).toBe('Low, at noon')
    expect(JSON.stringify(model.requests.at(-1))).toContain('the tide at noon is low')
  })

  test('FE-44 code has no access to host globals', async () => {
    const reach = await storeFlow(
      service(),
      codeOf('return typeof process + typeof require + typeof fetch', 'Reach'),
    )
    expect(messageOf(await runFlow(service(), reach, 'x'))).toBe('undefined'.repeat(3))
  })

  test('an edited catalogue node runs its edited code instead of the stock code', async () => {
    const node = await catalogueNode(service(), 'CustomComponent')
    const code = String(node.template['code']?.value).replace(
      '({ value })',
      '({ value: value + "!" })',
    )
    const changed = {
      ...node,
      template: { ...node.template, code: { ...node.template['code'], value: code } },
    }
    const stock = await importFlow(
      service(),
      await flowAround(service(), nodeOf('CustomComponent-s', 'CustomComponent', node)),
    )
    const own = await importFlow(
      service(),
      await flowAround(service(), nodeOf('CustomComponent-c', 'CustomComponent', changed)),
    )
    expect((await runFlow(service(), stock, 'hello')).text).toContain('hello')
    expect((await runFlow(service(), own, 'hello')).text).toContain('hello!')
  })
})

describe('with the code runner off', () => {
  const service = sharedService({})

  test('FE-44 a TypeScript component fails with an error that names the setting', async () => {
    const code = codeOf('return text')
    const made = await service().call('POST', '/api/v1/custom_component', { body: { code } })
    expect(made.status).toBe(400)
    expect(made.text).toContain('SERVICE_CODE_RUNNER=true')
    const node = await catalogueNode(service(), 'TextInput')
    const own = {
      ...node,
      metadata: { module: 'custom_components.mine' },
      template: { ...node.template, code: { ...node.template['code'], value: code } },
    }
    const id = await importFlow(
      service(),
      await flowAround(service(), nodeOf('Mine-1', 'Mine', own)),
    )
    const answer = await runFlow(service(), id, 'x')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).toContain('Mine-1')
    expect(answer.text).toContain('SERVICE_CODE_RUNNER=true')
  })

  test('FE-42 a node edited in Python runs as the stock component with a warning everywhere', async () => {
    const node = await catalogueNode(service(), 'TextInput')
    const python =
      'from lfx.custom import Component\n\nclass TextInput(Component):\n    display_name = "Mine"\n'
    const edited = {
      ...node,
      template: { ...node.template, code: { ...node.template['code'], value: python } },
    }
    const id = await importFlow(
      service(),
      await flowAround(service(), nodeOf('TextInput-p', 'TextInput', edited)),
    )
    const answer = await runFlow(service(), id, 'kept')
    expect(answer.status).toBe(200)
    expect(messageOf(answer)).toBe('kept')
    const { warnings } = answer.json() as {
      warnings: { component_id: string; message: string }[]
    }
    expect(warnings).toMatchObject([{ code: 'edited_component', component_id: 'TextInput-p' }])
    expect(warnings[0]?.message).toContain('Python code is not run by this service')

    const built = (await buildFlow(service(), id)).flatMap(({ data }) => data.build_data ?? [])
    expect(built.find((each) => each.id === 'TextInput-p')?.params).toBe(warnings[0]?.message)
    expect(built.find((each) => each.id === 'ChatOutput-b')?.params).toBeNull()
  })

  test('FE-42 unmodified nodes are not flagged', async () => {
    const node = nodeOf('TextInput-u', 'TextInput', await catalogueNode(service(), 'TextInput'))
    const id = await importFlow(service(), await flowAround(service(), node))
    expect((await runFlow(service(), id, 'same')).json()).not.toHaveProperty('warnings')
  })
})

/** Names of the tools that a model was offered. */
function toolNames(request: unknown): string[] {
  const { tools = [] } = request as { tools?: { function: { name: string } }[] }
  return tools.map((tool) => tool.function.name).filter((name) => name !== 'get_current_date')
}
