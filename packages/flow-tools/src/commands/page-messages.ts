import type { RunEvent } from '@x/flow-engine'
import { isObject } from '@x/wire'
import { displayName, nodesOf, placeOf } from '../code/flow-difference.ts'
import { edgesOf } from '../code/flow-edges.ts'

/** Longer events are told without what they hold. */
const MOST_TEXT = 256 << 10

/** A flow as the page draws it. */
export function flowMessage(flow: unknown): Readonly<Record<string, unknown>> {
  return {
    type: 'flow',
    name: (isObject(flow) && typeof flow['name'] === 'string' && flow['name']) || 'Flow',
    nodes: [...nodesOf(flow)].map(([id, node]) => {
      return { id, name: displayName(node, id), type: node.type, ...placeOf(node) }
    }),
    edges: edgesOf(flow).map(({ source, target }) => ({ source, target })),
  }
}

/** An event as the page shows it. */
export function eventMessage(run: number, event: RunEvent): Readonly<Record<string, unknown>> {
  const message = { type: 'event', run, event }
  if (event.event === 'token' || JSON.stringify(message).length <= MOST_TEXT) return message
  if (event.event !== 'end_vertex') return { ...message, event: { event: event.event, data: {} } }
  const { id, valid, params, data } = event.data.build_data
  const outputs = Object.fromEntries(
    Object.keys(data.outputs).map((name) => [name, { message: 'too long to be shown' }]),
  )
  const build = {
    id,
    valid,
    params: params?.slice(0, 1000),
    data: { ...data, outputs, results: {} },
  }
  const { artifacts: _, logs: __, message: ___, ...rest } = build.data
  return {
    ...message,
    event: { event: 'end_vertex', data: { build_data: { ...build, data: rest } } },
  }
}
