import type { TokenUsage } from '../../models/chat-model.ts'
import type { CallInfo } from '../../graph/context/run-hooks.ts'

/** The kind and names of a call, as hooks and metrics report it. */
export type CallFacts = Pick<CallInfo, 'kind' | 'name' | 'provider' | 'model'> & {
  /** What goes in, asked only for hooks that want content. */
  readonly input?: () => unknown
}

/** One call under way; each is ended once. */
export interface OpenCall {
  /** Calls a part of the work within the host's context (DR-71). */
  around<T>(work: () => T): T
  /** The hooks take what came out. */
  readonly wantsContent: boolean
  /** @param end `output`: a list of one, or of none where there is no output */
  ended(end?: {
    readonly error?: unknown
    readonly usage?: TokenUsage | undefined
    readonly output?: readonly unknown[]
  }): void
}

/** Tells the hooks of a run of the calls of one build (DR-70). */
export interface CallTeller {
  open(facts: CallFacts): OpenCall
}

/** What a context tells of its calls by. */
export const CALLS: unique symbol = Symbol.for('@x/flow-engine.calls')

/** Undefined without hooks and metrics. */
export function callsOf(context: object): CallTeller | undefined {
  return Reflect.get(context, CALLS) as CallTeller | undefined
}

/** Makes a call and reports it to the hooks, if there are any. */
export async function toldCall<T>(
  context: object,
  facts: CallFacts,
  work: () => Promise<T>,
): Promise<T> {
  const call = callsOf(context)?.open(facts)
  if (call === undefined) return work()
  try {
    const value = await call.around(work)
    call.ended({ output: call.wantsContent ? [value] : [] })
    return value
  } catch (error) {
    call.ended({ error })
    throw error
  }
}
