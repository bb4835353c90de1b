import { join } from 'node:path'
import type { FlowBuilder } from '@x/flow-engine/testing'
import { createFlowStore } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow, echoGraph, eventsOf, graphOf, until } from './flows.ts'
import { startService, type Service, type SharedService } from './service.ts'

let shared: SharedService
let service: Service
beforeAll(async () => {
  shared = await startService({})
  service = shared.service
})
afterAll(() => shared.end())

/** The text of the only answer of a run. */
async function runText(data: unknown, input: string): Promise<unknown> {
  const { id } = await createFlow(service, { data })
  const answer = await service.call('POST', `/api/v1/run/${id}`, {
    body: { input_value: input, input_type: 'any' },
  })
  if (answer.status !== 200) return answer.text
  const { outputs } = answer.json() as {
    outputs: { outputs: { results: { message: { data: { text: unknown } } } }[] }[]
  }
  return outputs[0]?.outputs[0]?.results.message.data.text
}

test('a flow that is read repeatedly keeps its bytes until it changes', async () => {
  const { id } = await createFlow(service, { name: 'Größe 🙂', data: echoGraph() })
  const path = `/api/v1/flows/${id}`
  const first = await service.call('GET', path)
  expect(first.json()).toMatchObject({ name: 'Größe 🙂', data: echoGraph() })
  expect(await service.call('GET', path)).toMatchObject({ text: first.text })
  await service.call('PATCH', path, { body: { name: 'Maß 🙃' } })
  expect((await service.call('GET', path)).json()).toMatchObject({ name: 'Maß 🙃' })
})

describe('empty values', () => {
  test.each<[string, (flow: FlowBuilder) => string]>([
    ['a chat input', (flow) => `${flow.add('ChatInput')}.message`],
    ['a text input', (flow) => `${flow.add('TextInput')}.text`],
    ['a prompt', (flow) => `${flow.add('Prompt Template', { values: { template: '' } })}.prompt`],
  ])('an empty string of %s passes through Chat Output', async (_, from) => {
    const data = graphOf((flow) => {
      flow.connect(from(flow), `${flow.add('ChatOutput')}.input_value`)
    })
    expect(await runText(data, '')).toBe('')
  })

  test('a loop over an empty table does not iterate, and its done output is an empty string', async () => {
    const data = graphOf((flow) => {
      const file = flow.add('ChatInput')
      const split = flow.add('SplitText', { values: { separator: '\n' } })
      const loop = flow.add('LoopComponent')
      const parser = flow.add('ParserComponent', { values: { pattern: 'x{text}' } })
      flow.connect(`${file}.message`, `${split}.data_inputs`)
      flow.connect(`${split}.dataframe`, `${loop}.data`)
      flow.connect(`${loop}.item`, `${parser}.input_data`)
      flow.connect(`${parser}.parsed_text`, `${loop}.item`)
      flow.connect(`${loop}.done`, `${flow.add('ChatOutput')}.input_value`)
    })
    const { id } = await createFlow(service, { data })
    const built = await service.call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
      body: { inputs: { input_value: '' } },
    })
    const ends = eventsOf(built).filter(({ event }) => event === 'end_vertex')
    const ids = ends.map(({ data: { build_data: build } }) => (build as { id: string }).id)
    expect(ids).toEqual([
      'ChatInput-00001',
      'SplitText-00001',
      'LoopComponent-00001',
      'ChatOutput-00001',
    ])
    expect(await runText(data, '')).toBe('')
  })
})

describe('invalid graphs in request bodies', () => {
  test.each<[string, unknown]>([
    ['nodes that are not a list', { nodes: 1, edges: [] }],
    ['nodes without edges', { nodes: 1 }],
    ['edges that are not a list', { nodes: [], edges: {} }],
  ])('%s give a 422 that names the field, and nothing is stored', async (_, data) => {
    const before = await service.call('GET', '/api/v1/flows/')
    const { id } = await createFlow(service, { name: 'Kept', data: echoGraph() })
    for (const [method, path, body] of [
      ['POST', '/api/v1/flows/', { name: 'Refused', data }],
      ['POST', '/api/v1/flows/batch/', { flows: [{ name: 'Refused', data }] }],
      ['PATCH', `/api/v1/flows/${id}`, { data }],
      ['POST', `/api/v1/build/${id}/flow`, { data }],
      ['POST', `/api/v1/build/${id}/vertices`, data],
    ] as const) {
      const answer = await service.call(method, path, { body })
      expect([path, answer.status]).toEqual([path, 422])
      expect(answer.text).toMatch(/nodes|edges/)
    }
    await service.call('DELETE', `/api/v1/flows/${id}`)
    expect((await service.call('GET', '/api/v1/flows/')).text).toBe(before.text)
  })
})

describe('one vertex at a time', () => {
  const routed = (): unknown =>
    graphOf((flow) => {
      const input = flow.add('ChatInput', { id: 'ChatInput-1' })
      const values = { match_text: 'yes', operator: 'equals' }
      const router = flow.add('ConditionalRouter', { id: 'Router-1', values })
      flow.connect(`${input}.message`, `${router}.input_text`)
      const yes = flow.add('ChatOutput', { id: 'ChatOutput-yes' })
      const no = flow.add('ChatOutput', { id: 'ChatOutput-no' })
      flow.connect(`${router}.true_result`, `${yes}.input_value`)
      flow.connect(`${router}.false_result`, `${no}.input_value`)
    })

  interface Built {
    readonly valid: boolean
    readonly params: string | null
    readonly next_vertices_ids: string[]
    readonly inactivated_vertices: string[]
  }

  test('build.md: a router returns the chosen branch; an unbuilt predecessor is named in the error', async () => {
    const { id } = await createFlow(service, { data: routed() })
    const path = `/api/v1/build/${id}/vertices`
    const build = async (vertex: string, body: object = {}): Promise<Built> =>
      (await service.call('POST', `${path}/${vertex}`, { body })).json() as Built

    expect((await service.call('POST', path)).status).toBe(200)
    const early = await build('ChatOutput-yes')
    expect([early.valid, early.params]).toEqual([false, 'Component If-Else has not been built yet'])
    const input = await build('ChatInput-1', { inputs: { input_value: 'yes' } })
    expect(input.next_vertices_ids).toEqual(['Router-1'])
    expect((await build('Router-1')).next_vertices_ids).toEqual(['ChatOutput-yes'])
    expect((await build('ChatOutput-yes')).valid).toBe(true)
    // The same graph once more, the other way.
    expect((await service.call('POST', path)).status).toBe(200)
    await build('ChatInput-1', { inputs: { input_value: 'other' } })
    expect((await build('Router-1')).next_vertices_ids).toEqual(['ChatOutput-no'])
  })

  test('NX-9: a flow with an unknown type opens, is ordered, and its known part is built', async () => {
    const data = graphOf((flow) => {
      const input = flow.add('ChatInput', { id: 'ChatInput-1' })
      flow.connect(
        `${input}.message`,
        `${flow.add('ChatOutput', { id: 'ChatOutput-1' })}.input_value`,
      )
      flow.add('NobodyKnows', { id: 'NobodyKnows-1' })
    })
    const { id } = await createFlow(service, { data })
    expect((await service.call('GET', `/api/v1/flows/${id}`)).json()).toMatchObject({ data })

    const ordered = await service.call('POST', `/api/v1/build/${id}/vertices`)
    expect(ordered.status).toBe(200)
    expect((ordered.json() as { vertices_to_run: string[] }).vertices_to_run.toSorted()).toEqual([
      'ChatInput-1',
      'ChatOutput-1',
      'NobodyKnows-1',
    ])
    const build = async (vertex: string): Promise<Built> =>
      (
        await service.call('POST', `/api/v1/build/${id}/vertices/${vertex}`, {
          body: { inputs: { input_value: 'hi' } },
        })
      ).json() as Built
    expect((await build('ChatInput-1')).valid).toBe(true)
    expect((await build('ChatOutput-1')).valid).toBe(true)
    const unknown = await build('NobodyKnows-1')
    expect(unknown.valid).toBe(false)
    expect(unknown.params).toContain('NobodyKnows')

    const direct = `/api/v1/build/${id}/flow?event_delivery=direct`
    const slice = eventsOf(
      await service.call('POST', `${direct}&stop_component_id=ChatOutput-1`, { body: {} }),
    )
    expect(slice.at(0)?.data).toMatchObject({ to_run: ['ChatInput-1', 'ChatOutput-1'] })
    expect(slice.filter(({ event }) => event === 'end_vertex')).toHaveLength(2)
    expect(slice.filter(({ event }) => event === 'error')).toEqual([])
    for (const query of ['', '&stop_component_id=NobodyKnows-1']) {
      const refused = eventsOf(await service.call('POST', `${direct}${query}`, { body: {} }))
      expect(refused.map(({ event }) => event)).toEqual(['error', 'end'])
      expect(refused[0]?.data['text']).toContain('Unknown component types: NobodyKnows')
    }
  })
})

test('deleting a flow while it builds leaves no data behind', async () => {
  const data = graphOf((flow) => {
    const input = flow.add('ChatInput')
    for (let n = 0; n < 20; n += 1)
      flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  })
  const ids: string[] = []
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { id } = await createFlow(service, { name: `Gone ${n}`, data })
      ids.push(id)
      const body = { inputs: { input_value: 'hello', session: `gone-${n}` } }
      const building = service.call('POST', `/api/v1/build/${id}/flow?event_delivery=direct`, {
        body,
      })
      const running = service.call('POST', `/api/v1/run/${id}`, { body: { input_value: 'hello' } })
      await new Promise((resolve) => setTimeout(resolve, n * 4))
      expect((await service.call('DELETE', `/api/v1/flows/${id}`)).status).toBe(200)
      await Promise.all([building, running])
    }),
  )
  const db = openSqlite(join(service.folder, 'service.db'))
  try {
    const { messages, transactions, vertexBuilds } = createFlowStore(db)
    const left = async () => {
      const found = ids.flatMap((flowId) => [
        messages.list({ flowId }),
        transactions.list(flowId, {}).then(({ items }) => items),
        vertexBuilds.latest(flowId),
      ])
      return (await Promise.all(found)).flat().length
    }
    expect(await until(left, (count) => count === 0)).toBe(0)
  } finally {
    await db.destroy()
  }
})

describe('components of older flows', () => {
  test('MO-51 MO-53: a model’s answer is cleaned, queried and written as text', async () => {
    const data = graphOf((flow) => {
      const chat = flow.add('ChatInput')
      const clean = flow.add('JSONCleaner')
      const query = flow.add('ParseJSONData', { values: { query: '.people[]' } })
      const text = flow.add('ParseData', { values: { template: '{name}', sep: ', ' } })
      flow.connect(`${chat}.message`, `${clean}.json_str`)
      flow.connect(`${clean}.output`, `${query}.input_value`)
      flow.connect(`${query}.filtered_data`, `${text}.data`)
      flow.connect(`${text}.text`, `${flow.add('ChatOutput')}.input_value`)
    })
    const input = "Sure: {'people': [{'name': 'Ada'}, {'name': 'Alan'}]}"
    expect(await runText(data, input)).toBe('Ada, Alan')
  })

  test('AB-30: a slow regular expression is stopped with an error while other requests are served', async () => {
    const data = graphOf((flow) => {
      const chat = flow.add('ChatInput')
      const regex = flow.add('RegexExtractorComponent', { values: { pattern: 'a*b|a' } })
      flow.connect(`${chat}.message`, `${regex}.input_text`)
      flow.connect(`${regex}.text`, `${flow.add('ChatOutput')}.input_value`)
    })
    const attack = runText(data, 'a'.repeat(200_000))
    expect((await service.call('GET', '/health')).status).toBe(200)
    expect(await attack).toContain('take too long')
  })
})

test.each([
  ['Generic', 'text', 'Bruno', 'Bruno says hello'],
  ['Credential', 'a secret', '*****', '***** says hello'],
])('FE-65 a %s variable in a text field is %s', async (type, _, sender, text) => {
  const name = `SENDER_${type.toUpperCase()}`
  const variable = { name, value: 'Bruno', type, default_fields: [] }
  await service.call('POST', '/api/v1/variables/', { body: variable })
  const { id } = await createFlow(service, { data: echoGraph() })
  const tweaks = { 'Chat Output': { sender_name: { value: name, load_from_db: true } } }
  const body = { input_value: 'Bruno says hello', session_id: type, tweaks }
  const answer = await service.call('POST', `/api/v1/run/${id}`, { body })
  expect(answer.json()).toMatchObject({
    outputs: [{ outputs: [{ results: { message: { sender_name: sender, text } } }] }],
  })
  const stored = await service.call('GET', `/api/v1/monitor/messages?flow_id=${id}`)
  expect(stored.json()).toMatchObject([{}, { sender_name: sender, text }])
})
