import type { TokenUsage } from '../../models/chat-model.ts'
import type { CallInfo } from '../../graph/context/run-hooks.ts'

/** Describes a call for hooks and metrics. */
export type CallFacts = Pick<CallInfo, 'kind' | 'name' | 'provider' | 'model'> & {
  /** Returns the call's input; called only for hooks that want content. */
  readonly input?: () => unknown
}

/** A call in progress, which must be ended exactly once. */
export interface OpenCall {
  /** Runs part of the work in the host's context. */
  around<T>(work: () => T): T
  /** True if hooks want the output. */
  readonly wantsContent: boolean
  /** @param end `output`: the output as a list of one; empty if there is none */
  ended(end?: {
    readonly error?: unknown
    readonly usage?: TokenUsage | undefined
    readonly output?: readonly unknown[]
  }): void
}

/** Reports the calls of one build to the hooks of the run. */
export interface CallReporter {
  open(facts: CallFacts): OpenCall
}

/** The key under which a context holds its CallReporter. */
export const CALLS: unique symbol = Symbol.for('@x/flow-engine.calls')

/** Returns undefined if there are neither hooks nor metrics. */
export function callReporterOf(context: object): CallReporter | undefined {
  return Reflect.get(context, CALLS) as CallReporter | undefined
}

/** Makes a call and reports it to the hooks, if any. */
export async function reportedCall<T>(
  context: object,
  facts: CallFacts,
  work: () => Promise<T>,
): Promise<T> {
  const call = callReporterOf(context)?.open(facts)
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
