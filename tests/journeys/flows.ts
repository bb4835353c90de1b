import { builtinComponents } from '@x/flow-components'
import { flowBuilder, type FlowBuilder } from '@x/flow-engine/testing'
import type { Answer, Service } from './service.ts'

/** A flow as the service answers it. */
export interface StoredFlow {
  readonly id: string
  readonly name: string
  readonly endpoint_name: string | null
}

/** One line of an event stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: Record<string, unknown>
  readonly seq?: number
}

/** Graph of a flow that the callback builds. */
export function graphOf(build: (flow: FlowBuilder) => void): unknown {
  const flow = flowBuilder('Flow', { components: builtinComponents })
  build(flow)
  return flow.toJSON().data
}

/** Chat Input wired to Chat Output. */
export function echoGraph(): unknown {
  return graphOf((flow) => {
    const input = flow.add('ChatInput')
    flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  })
}

/** Stores a flow of the caller. */
export async function createFlow(
  service: Service,
  body: { readonly data: unknown; readonly [field: string]: unknown },
  key?: string,
): Promise<StoredFlow> {
  const answer = await service.call('POST', '/api/v1/flows/', {
    body: { name: 'Journey', ...body },
    ...(key === undefined ? {} : { key }),
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json() as StoredFlow
}

/** The events of an answer, in order. */
export function eventsOf({ text }: Pick<Answer, 'text'>): StreamEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StreamEvent)
}

/** Asks again until the answer satisfies; a wait with a limit instead of a guess. */
export async function until<T>(
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
  limitMs = 15_000,
): Promise<T> {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (satisfies(answer) || Date.now() > end) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
