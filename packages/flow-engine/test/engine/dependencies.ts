import {
  createRegistry,
  defineComponent,
  field,
  output,
  runFlow,
  type Component,
  type FlowRun,
  type RunEvent,
  type RunOptions,
  type RunResult,
} from '@x/flow-engine'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { conditionalRouter } from '../../src/components/built-in/flow-controls/conditional-router.ts'
import { collectEvents, createTestRuntime } from '@x/flow-engine/testing'

/** Joins the texts of its inputs and marks them with its own vertex id's end. */
export const join = defineComponent({
  type: 'Join',
  inputs: {
    texts: field.handle({
      displayName: 'Texts',
      types: ['Message', 'Data', 'DataFrame'],
      list: true,
    }),
    mark: field.text({ displayName: 'Mark' }),
  },
  outputs: {
    out: output.message({
      run: ({ texts, mark }) => texts.map(textOf).join('+') + mark,
    }),
  },
})

/** Two inputs that take one value each. */
export const pair = defineComponent({
  type: 'Pair',
  inputs: {
    left: field.handle({ types: ['Message', 'Data', 'DataFrame'] }),
    right: field.handle({ types: ['Message', 'Data'] }),
  },
  outputs: {
    out: output.message({ run: ({ left, right }) => `${textOf(left)}|${textOf(right)}` }),
  },
})

export const failing = defineComponent({
  type: 'Failing',
  displayName: 'Failing one',
  inputs: { text: field.handle({ types: ['Message'] }) },
  outputs: {
    out: output.message({
      run: () => {
        throw new RangeError('it broke')
      },
    }),
  },
})

/** Rows of a text, one for each word. */
export const words = defineComponent({
  type: 'Words',
  inputs: { text: field.text() },
  outputs: {
    rows: output.dataFrame({
      run: ({ text }) =>
        text
          .split(' ')
          .filter(Boolean)
          .map((word) => ({ text: word })),
    }),
  },
})

export const library: readonly Component[] = [
  chatInput,
  chatOutput,
  textInput,
  textOutput,
  loop,
  conditionalRouter,
  join,
  pair,
  failing,
  words,
]

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'object' && 'text' in value) return String(value.text)
  if (typeof value === 'object' && 'data' in value) {
    return String((value.data as { text?: unknown }).text)
  }
  if (typeof value === 'object' && 'rows' in value) {
    return (value.rows as { text?: unknown }[]).map((row) => String(row.text)).join(',')
  }
  return typeof value === 'string' ? value : ''
}

export function start(
  flow: unknown,
  options: RunOptions & { more?: readonly Component[] } = {},
): FlowRun {
  const { more = [], ...rest } = options
  const components = createRegistry([...library, ...more])
  return runFlow(flow, { components, runtime: createTestRuntime(), flowId: 'flow-1', ...rest })
}

export interface Ran {
  readonly result: RunResult
  readonly events: RunEvent[]
  /** `id` or `id!` (failed) of each build, in order of their ends. */
  readonly ends: string[]
  /** The vertices that each end made ready. */
  readonly next: Record<string, string[]>
}

export async function run(
  flow: unknown,
  options: RunOptions & { more?: readonly Component[] } = {},
): Promise<Ran> {
  const started = start(flow, options)
  const events = await collectEvents(started)
  const builds = events.flatMap((event) =>
    event.event === 'end_vertex' ? [event.data.build_data] : [],
  )
  return {
    result: await started.result,
    events,
    ends: builds.map(({ id, valid }) => (valid ? id : `${id}!`)),
    next: Object.fromEntries(builds.map((build) => [build.id, build.next_vertices_ids])),
  }
}

export function inactivated(events: readonly RunEvent[]): string[][] {
  return events.flatMap((event) =>
    event.event === 'end_vertex' ? [event.data.build_data.inactivated_vertices] : [],
  )
}

/** Events as a transport encodes them: their data is made when it is read. */
export function encoded(events: readonly RunEvent[]): string {
  return JSON.stringify(events.map(({ seq, event, data }) => ({ seq, event, data })))
}

/** A value that the test knows to exist. */
export function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new RangeError('not there')
  return value
}

/** The kinds of events, in order. */
export const kinds = (events: readonly { readonly event: string }[]): string[] =>
  events.map(({ event }) => event)

/** A component without inputs that gives what `make` gives. */
export function giving(make: Component['outputs'][string]['run']): Component {
  return defineComponent({
    type: 'Giving',
    displayName: 'Giver',
    inputs: {},
    outputs: { out: output.message({ run: make as never }) },
  })
}
