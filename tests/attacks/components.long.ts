// Runs each night (.ci/night).
import { readFile } from 'node:fs/promises'
import type { FlowBuilder } from '@x/flow-engine/testing'
import { describe, expect, test, vi } from 'vitest'
import { createFlow, echoGraph, eventsOf, graphOf } from '../journeys/flows.ts'
import type { Answer } from '../journeys/service.ts'
import { besideHealth, IN_TIME, useService } from './attack.ts'
import { addUser } from './flows.ts'

vi.setConfig({ testTimeout: 600_000 })
const running = useService({ SERVICE_NEW_USER_IS_ACTIVE: 'true' })

/** Characters that a visitor may send: a body of at most 1 MiB, in which a line break takes two. */
const SIZE = 1_000_000
const LINES = 300_000
/** Milliseconds of processor time while a small run of another user waits for its answer. */
const MOST_WORK = 2_000
/** MiB by which the server may grow, several builds of the largest values included. */
const MOST_GROWN = 1_500

const ones = '1,'.repeat(200_000)
const TEXTS: Readonly<Record<string, string>> = {
  'one long word': 'a'.repeat(SIZE),
  'one letter to a line': 'a\n'.repeat(LINES),
  'empty lines': '\n'.repeat(SIZE / 2),
  'braces of a template': '{text}'.repeat(SIZE / 6),
  'a table': `text,a\n${'x,1\n'.repeat(LINES / 2)}`,
  'a wide head over short rows': `${'k,'.repeat(SIZE / 4)}\n${'x\n'.repeat(SIZE / 8)}`,
  'a long name of a column': `text,${'k'.repeat(SIZE / 2)}\n${'x,1\n'.repeat(SIZE / 10)}`,
  'JSON of lists in one another': `${'['.repeat(190)}${ones}1${']'.repeat(190)}`,
  'JSON of rows without common keys': JSON.stringify(
    Array.from({ length: SIZE / 16 }, (_, at) => ({ [`k${at}`]: 0 })),
  ),
}

interface Node {
  readonly data: { readonly node: { readonly template: Record<string, object | undefined> } }
}

/** A node with values; the editor shows a field before somebody fills it. */
function setValues(graph: unknown, at: number, values: Readonly<Record<string, unknown>>): unknown {
  const { nodes } = graph as { readonly nodes: readonly Node[] }
  const template = nodes[at]?.data.node.template ?? {}
  for (const [name, value] of Object.entries(values)) {
    Object.assign(template[name] ?? {}, { value, show: true })
  }
  return graph
}

/** Nodes in a row behind a chat input and before a chat output: `type`, `input`, `output`. */
function rowOf(...nodes: readonly (readonly [type: string, input: string, output: string])[]) {
  return (flow: FlowBuilder): void => {
    let before = `${flow.add('ChatInput')}.message`
    for (const [type, input, output] of nodes) {
      const id = flow.add(type)
      flow.connect(before, `${id}.${input}`)
      before = `${id}.${output}`
    }
    flow.connect(before, `${flow.add('ChatOutput')}.input_value`)
  }
}

const SPLIT = ['SplitText', 'data_inputs', 'dataframe'] as const
const FRAME = ['DataFrameOperations', 'df', 'output'] as const
const SAVE = ['SaveToFile', 'input', 'message'] as const
const local = { storage_location: [{ name: 'Local' }], file_name: 'kept' }

/** Flows as their owners publish them, with settings that multiply. */
const FLOWS: Readonly<Record<string, () => unknown>> = {
  'Split Text and Parser': () =>
    setValues(
      setValues(graphOf(rowOf(SPLIT, ['ParserComponent', 'input_data', 'parsed_text'])), 1, {
        chunk_size: 10,
        chunk_overlap: 9,
        separator: '',
      }),
      2,
      { pattern: '{text} {text!r:.1}'.repeat(20) },
    ),
  'Split Text and Data Operations': () =>
    setValues(
      setValues(graphOf(rowOf(SPLIT, FRAME)), 1, {
        chunk_size: 2,
        chunk_overlap: 1,
        separator: '\n',
      }),
      2,
      { operation: [{ name: 'Sort' }], column_name: 'text' },
    ),
  'CSV to Data and a table': () =>
    graphOf(
      rowOf(
        ['CSVtoData', 'csv_string', 'data_list'],
        ['DataToDataFrame', 'data_list', 'dataframe'],
        FRAME,
      ),
    ),
  'JSON to Data': () => graphOf(rowOf(['JSONtoData', 'json_string', 'data'])),
  'Split Text and an Excel file': () =>
    setValues(setValues(graphOf(rowOf(SPLIT, SAVE)), 1, { chunk_size: 1, chunk_overlap: 0 }), 2, {
      ...local,
      local_format: 'excel',
    }),
  'CSV to Data and a JSON file': () =>
    setValues(
      graphOf(
        rowOf(
          ['CSVtoData', 'csv_string', 'data_list'],
          ['DataToDataFrame', 'data_list', 'dataframe'],
          SAVE,
        ),
      ),
      3,
      { ...local, local_format: 'json' },
    ),
  'a join of a table with itself': () =>
    setValues(
      setValues(
        graphOf((flow) => {
          const chat = flow.add('ChatInput')
          const split = flow.add('SplitText')
          const join = flow.add('DataFrameOperations')
          const again = flow.add('SplitText')
          flow.connect(`${chat}.message`, `${split}.data_inputs`)
          flow.connect(`${chat}.message`, `${again}.data_inputs`)
          flow.connect(`${split}.dataframe`, `${join}.df`)
          flow.connect(`${again}.dataframe`, `${join}.df`)
          flow.connect(`${join}.output`, `${flow.add('ChatOutput')}.input_value`)
        }),
        1,
        { chunk_size: 1, chunk_overlap: 0 },
      ),
      2,
      { operation: [{ name: 'Merge' }], merge_on_column: 'text' },
    ),
  'Text Operations': () =>
    setValues(graphOf(rowOf(['TextOperations', 'text_input', 'message'])), 1, {
      operation: [{ name: 'Text Replace' }],
      search_pattern: 'a',
      replacement_text: 'b'.repeat(1000),
    }),
}

async function createPublicFlow(data: unknown): Promise<string> {
  const name = `public ${crypto.randomUUID()}`
  return (await createFlow(running(), { name, access_type: 'PUBLIC', data })).id
}

function visit(flow: string, text: string): Promise<Answer> {
  return running().call('POST', `/api/v1/build_public_tmp/${flow}/flow?event_delivery=direct`, {
    key: null,
    headers: { cookie: 'client_id=hostile' },
    body: { inputs: { input_value: text, session: 's' } },
  })
}

/** Milliseconds of processor time that the server has taken; where the system does not say, of the clock. */
async function spentBy(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // After the name of the program, in hundredths of a second.
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14)
    return (Number(user) + Number(system)) * 10
  } catch {
    return performance.now()
  }
}

/**
 * Small runs of another user, one after another, until told to stop. The slowest, by what the server did
 * meanwhile: a busy machine makes all of them slow.
 */
function workOf(flow: string, key: string): { stop(): Promise<number> } {
  const seen = { slowest: 0, isOver: false }
  const working = (async () => {
    while (!seen.isOver) {
      const before = await spentBy(running().pid)
      const { status, text } = await running().call('POST', `/api/v1/run/${flow}?stream=false`, {
        key,
        body: { input_value: 'hi', output_type: 'chat' },
      })
      if (status !== 200) throw new Error(`a small run is answered ${status} ${text.slice(0, 200)}`)
      seen.slowest = Math.max(seen.slowest, (await spentBy(running().pid)) - before)
    }
    return seen.slowest
  })()
  return {
    stop: () => {
      seen.isOver = true
      return working
    },
  }
}

describe('AB-29: a visitor sends a megabyte to a public flow', () => {
  test.for(Object.entries(FLOWS))(
    '%s: each text ends the build, and others are answered in time',
    async ([, graph]) => {
      const flow = await createPublicFlow(graph())
      const key = await addUser(running(), `honest-${crypto.randomUUID()}`)
      const mine = await createFlow(running(), { name: 'mine', data: echoGraph() }, key)
      const honest = workOf(mine.id, key)
      const wrong: string[] = []
      const { slowest, grown } = await besideHealth(running(), async () => {
        for (const [name, text] of Object.entries(TEXTS)) {
          const begun = performance.now()
          const answer = await visit(flow, text)
          const ms = Math.round(performance.now() - begun)
          const names = answer.status === 200 ? eventsOf(answer).map(({ event }) => event) : []
          const isEnded = names.includes('end') || names.includes('error')
          if (!isEnded || ms > 60_000) wrong.push(`${name}: ${answer.status} after ${ms} ms`)
          if (answer.text.length > 64 * SIZE)
            wrong.push(`${name}: ${answer.text.length} characters`)
        }
      })
      const ofOthers = await honest.stop()
      expect(wrong).toEqual([])
      expect([slowest < IN_TIME, ofOthers < MOST_WORK, grown < MOST_GROWN]).toEqual([
        true,
        true,
        true,
      ])
    },
  )
})
