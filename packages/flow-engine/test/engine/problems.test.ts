import { describe, expect, test } from 'vitest'
import {
  checkFlow,
  createRegistry,
  defineComponent,
  field,
  output,
  type FlowJson,
} from '@x/flow-engine'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { library, run, textOf, words } from './dependencies.ts'

const talking = defineComponent({
  type: 'Talking',
  inputs: { text: field.handle({ types: ['Message'] }), stream: field.bool() },
  outputs: { out: output.message({ run: ({ text }) => textOf(text) }) },
})

/** `A-B` is an edge; a capital with `*` streams. */
function talkers(nodes: string, ...edges: string[]): FlowJson {
  const flow = flowBuilder()
  for (const name of nodes.split(' ')) {
    const id = name.replace('*', '')
    flow.add(talking, {
      id: `Talking-${id}`,
      displayName: `Talker ${id}`,
      values: { stream: name.endsWith('*') },
    })
  }
  for (const edge of edges) {
    const [from, to] = edge.split('-')
    flow.connect(`Talking-${from}.out`, `Talking-${to}.text`)
  }
  return flow.toJSON()
}

const components = createRegistry([...library, talking])
const streams = (flow: FlowJson) =>
  checkFlow(flow, { components }).map(({ code, message, nodeId }) => [code, message, nodeId])

describe('streaming problems (FE-8)', () => {
  const found = [
    'several_streams',
    'Only one of the connected components Talker A, Talker C may stream',
    'Talking-C',
  ]

  test('FE-8: several_streams: reported if a streaming vertex follows another, directly or indirectly', () => {
    expect(streams(talkers('A* C*', 'A-C'))).toEqual([found])
    expect(streams(talkers('A* B C*', 'A-B', 'B-C'))).toEqual([found])
  })

  test('FE-8: several_streams: not reported for parallel streams, a single one, or a vertex fed by both', () => {
    expect(streams(talkers('A* C*'))).toEqual([])
    expect(streams(talkers('A* B C', 'A-B', 'B-C'))).toEqual([])
    expect(streams(talkers('A* B* C', 'A-C', 'B-C'))).toEqual([])
  })

  test('FE-8: several_streams: cycles are followed once; a stream does not follow itself', () => {
    expect(streams(talkers('A* B', 'A-B', 'B-A'))).toEqual([])
    expect(streams(talkers('A* B C*', 'A-B', 'B-A', 'B-C'))).toEqual([found])
  })

  test('FE-8: several_streams: such a flow does not run', async () => {
    const flow = talkers('A* C*', 'A-C')
    await expect(run(flow, { more: [talking] })).rejects.toMatchObject({
      code: 'invalid_flow',
      detail: found[1],
      problems: [{ severity: 'error' }],
    })
  })
})

describe('missing files (FE-21)', () => {
  const reading = defineComponent({
    type: 'Reading',
    displayName: 'Reader',
    inputs: {
      file: field.file({ displayName: 'The file', required: true }),
      more: field.file({ displayName: 'More files' }),
    },
    outputs: {
      out: output.message({ run: ({ file }) => `${file.length} files` }),
    },
  })
  const flowWith = (values: Record<string, unknown>) => {
    const flow = flowBuilder()
    flow.add(reading, { id: 'Reading-1', values })
    return flow.toJSON()
  }
  const ran = (values: Record<string, unknown>, tweaks = {}) =>
    run(flowWith(values), { more: [reading], tweaks, outputType: 'debug' })

  test('FE-21: missing_file: an absent required file is null with a warning in the result and none in events', async () => {
    const { result, events } = await ran({})
    expect(result.status).toBe('succeeded')
    expect(result.text('Reading-1')).toBe('0 files')
    expect(result.warnings).toEqual([
      {
        code: 'missing_file',
        message: 'Component Reader: no file given for The file',
        nodeId: 'Reading-1',
        field: 'file',
        severity: 'warning',
      },
    ])
    expect(events.map(({ event }) => event)).toEqual(['vertices_sorted', 'end_vertex', 'end'])
  })

  test('FE-21: missing_file: no warning if the template or a tweak has a path', async () => {
    expect((await ran({ file: 'flow/a.txt' })).result.warnings).toEqual([])
    const tweaked = await ran({}, { 'Reading-1': { file: 'flow/b.txt' } })
    expect(tweaked.result.warnings).toEqual([])
    expect(tweaked.result.text('Reading-1')).toBe('1 files')
    const emptied = await ran({ file: 'flow/a.txt' }, { 'Reading-1': { file: '' } })
    expect(emptied.result.warnings).toMatchObject([{ code: 'missing_file' }])
  })
})

describe('missing variables (FE-20)', () => {
  const asking = defineComponent({
    type: 'Asking',
    displayName: 'Asker',
    inputs: {
      text: field.handle({ types: ['Data', 'Message'] }),
      key: field.secret({ displayName: 'API key' }),
      city: field.text({ displayName: 'City', loadFromDb: true }),
    },
    outputs: {
      out: output.message({ run: ({ key, city }) => `${key ?? 'none'} ${city}` }),
    },
  })
  const flowWith = (values: Record<string, unknown>) => {
    const flow = flowBuilder()
    flow.add(asking, { id: 'Asking-1', values })
    return flow.toJSON()
  }
  const ran = (values: Record<string, unknown>, options: Parameters<typeof run>[1] = {}) =>
    run(flowWith(values), {
      more: [asking],
      outputType: 'debug',
      services: { environment: { RIVER: '' } },
      ...options,
    })
  const missing = (name: string, message: string) => ({
    code: 'unresolved_field',
    message,
    nodeId: 'Asking-1',
    field: name,
    severity: 'warning',
  })

  test('FE-20: unresolved_field: a name that the environment lacks too is null, with a warning in the result and in the end event', async () => {
    const { result, events } = await ran({ key: 'MY_KEY', city: 'CITY' })
    expect(result.status).toBe('succeeded')
    expect(result.text('Asking-1')).toBe('none ')
    expect(result.warnings).toEqual([
      missing('city', 'Component Asker: variable CITY of City not found'),
      missing('key', 'Component Asker: variable MY_KEY of API key not found'),
    ])
    expect(events.map(({ event }) => event)).toEqual(['vertices_sorted', 'end_vertex', 'end'])
    const told = ['CITY of City', 'MY_KEY of API key'].map((what) => ({
      code: 'unresolved_field',
      message: `Component Asker: variable ${what} not found`,
      component_id: 'Asking-1',
    }))
    expect(events.at(-1)?.data).toEqual({ warnings: told })
    expect(JSON.stringify(events.slice(0, -1))).not.toContain('MY_KEY')
  })

  test('FE-20: unresolved_field: no warning if the variable is found, empty or overridden, or if it fails the vertex', async () => {
    const warned = async (...args: Parameters<typeof ran>) => (await ran(...args)).result.warnings
    expect(await warned({ key: '', city: 'RIVER' })).toEqual([])
    expect(await warned({ city: 'CITY' }, { variables: { CITY: 'Ulm' } })).toEqual([])
    const variables = { get: async () => 'Ulm' }
    expect(await warned({ city: 'CITY' }, { services: { variables, environment: {} } })).toEqual([])
    const tweaks = { 'Asking-1': { city: { value: 'Ulm', load_from_db: false } } }
    expect(await warned({ city: 'CITY' }, { tweaks })).toEqual([])
    const nowhere = await ran({ city: 'CITY' }, { services: {} })
    expect(nowhere.result.error?.code).toBe('variable_not_found')
    expect(nowhere.result.warnings).toEqual([])
  })

  test('FE-20, FE-32: unresolved_field: reported once, however often the vertex is built', async () => {
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(asking, { id: 'Asking-1', values: { city: 'CITY' } })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Asking-1.text')
      .connect('Asking-1.out', 'LoopComponent-1.item')
    const { result } = await run(flow.toJSON(), {
      more: [asking],
      services: { environment: {} },
    })
    expect(result.vertices.get('Asking-1')?.builds).toBe(3)
    expect(result.warnings).toMatchObject([{ code: 'unresolved_field', field: 'city' }])
  })
})

describe('edges into fields that a component no longer has (FE-2)', () => {
  /** Two nodes, the second with a field of a former version in its template. */
  function former(component: typeof talking): FlowJson {
    const flow = flowBuilder()
    flow.add(component, { id: 'Talking-A' })
    flow.add(component, { id: 'Talking-B' })
    flow.connect('Talking-A.out', 'Talking-B.text')
    return JSON.parse(
      JSON.stringify(flow.toJSON()).replaceAll(
        /(œfieldNameœ:œ|"fieldName":")text|"text":\{/g,
        (found) => found.replace('text', 'former'),
      ),
    ) as FlowJson
  }

  test('FE-2: ignored_edge names node, edge and field, and the flow runs', async () => {
    const flow = former(talking)
    const [found, ...others] = checkFlow(flow, { components })
    expect(others).toEqual([])
    expect(found).toMatchObject({
      code: 'ignored_edge',
      severity: 'warning',
      nodeId: 'Talking-B',
      field: 'former',
    })
    expect(found?.edgeId).toBeDefined()
    const { result } = await run(flow, { components })
    expect([result.status, result.warnings.map(({ code }) => code)]).toEqual([
      'succeeded',
      ['ignored_edge'],
    ])
  })

  test('FE-2: a component that accepts further fields gets them without a warning', () => {
    const reading = { ...talking, furtherFields: true }
    expect(checkFlow(former(reading), { components: createRegistry([reading]) })).toEqual([])
  })
})
