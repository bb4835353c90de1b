import { describe, expect, test } from 'vitest'
import {
  checkFlow,
  createRegistry,
  defineComponent,
  field,
  output,
  type FlowJson,
} from '../../src/graph.ts'
import { flowBuilder } from '../../src/testing.ts'
import { library, run, textOf } from './kit.ts'

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

describe('problems of streams (FE-8)', () => {
  const found = [
    'several_streams',
    'Only one of the connected components Talker A, Talker C may stream',
    'Talking-C',
  ]

  test('FE-8: several_streams: two that stream, the second behind the first, near or far', () => {
    expect(streams(talkers('A* C*', 'A-C'))).toEqual([found])
    expect(streams(talkers('A* B C*', 'A-B', 'B-C'))).toEqual([found])
  })

  test('FE-8: several_streams: not side by side, not one alone, not what is fed by both', () => {
    expect(streams(talkers('A* C*'))).toEqual([])
    expect(streams(talkers('A* B C', 'A-B', 'B-C'))).toEqual([])
    expect(streams(talkers('A* B* C', 'A-C', 'B-C'))).toEqual([])
  })

  test('FE-8: several_streams: cycles are followed once; a stream is not behind itself', () => {
    expect(streams(talkers('A* B', 'A-B', 'B-A'))).toEqual([])
    expect(streams(talkers('A* B C*', 'A-B', 'B-A', 'B-C'))).toEqual([found])
  })

  test('FE-8: several_streams: such a flow runs nothing', async () => {
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

  test('FE-21: missing_file: a required file that is absent is null with a warning, in the result and never in events', async () => {
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

  test('FE-21: missing_file: none when a path is there, from the template or a tweak', async () => {
    expect((await ran({ file: 'flow/a.txt' })).result.warnings).toEqual([])
    const tweaked = await ran({}, { 'Reading-1': { file: 'flow/b.txt' } })
    expect(tweaked.result.warnings).toEqual([])
    expect(tweaked.result.text('Reading-1')).toBe('1 files')
    const emptied = await ran({ file: 'flow/a.txt' }, { 'Reading-1': { file: '' } })
    expect(emptied.result.warnings).toMatchObject([{ code: 'missing_file' }])
  })
})
