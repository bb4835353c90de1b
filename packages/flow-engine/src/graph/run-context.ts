import type { Runtime } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../components/context.ts'
import type { ComponentServices } from '../components/services.ts'
import type { TokenUsage } from '../models/chat-model.ts'
import { FlowError, limitExceeded } from '../errors.ts'
import type { FlowJson } from './flow-json.ts'
import type { RunLimits } from './limits.ts'
import { earlierMessages } from './earlier-messages.ts'
import { createRunMessages } from './memory-messages.ts'
import { createMessageLog, type MessageLog, type SendEvent } from './message-log.ts'
import type { FlowProblem } from './problems.ts'
import { LazyEvent, madeBy, type EventData, type RunEvent, type RunEventData } from './run-event.ts'
import type { RunLog } from './run-log.ts'
import { createSecrets, type Secrets } from './secrets.ts'

/** What the builds of all vertices of one run share. */
export interface RunContext {
  readonly runId: string
  readonly flowId: string
  readonly flowName: string | undefined
  /** "" = none. */
  readonly sessionId: string
  readonly userId: string | undefined
  readonly runtime: Runtime
  readonly services: Readonly<ComponentServices>
  /** The same for vertices without incoming edges (CO-41). */
  readonly rootServices: Readonly<ComponentServices>
  /** Ids of messages that input vertices of this run sent. */
  readonly inputMessages: Set<string>
  readonly shared: Map<string, unknown>
  readonly limits: RunLimits
  readonly signal: AbortSignal
  readonly secrets: Secrets
  readonly messages: MessageLog
  readonly send: SendEvent
  /** False once the run ended or was aborted: what comes later is dropped. */
  readonly open: () => boolean
  warn(problem: FlowProblem): void
  usage(usage: TokenUsage): void
  runFlow(flow: FlowJson, options: ChildRunOptions, signal: AbortSignal): Promise<ChildRunResult>
  /** FE-63a; rejects with `not_resumable` where nothing keeps the question. */
  suspend(vertexId: string, question: unknown): Promise<unknown>
}

/** What a run knows before its first vertex; the rest of its context follows from it. */
export interface RunContextOptions extends Pick<
  RunContext,
  | 'runId'
  | 'flowId'
  | 'flowName'
  | 'sessionId'
  | 'userId'
  | 'runtime'
  | 'shared'
  | 'limits'
  | 'signal'
> {
  readonly services: Readonly<ComponentServices>
  readonly log: RunLog
  readonly open: () => boolean
  /** Called instead of throwing when the number of events is over its limit. */
  readonly overflow: (error: FlowError) => void
  readonly warn: (problem: FlowProblem) => void
  readonly usage: (usage: TokenUsage) => void
  readonly runFlow: RunContext['runFlow']
  readonly suspend: RunContext['suspend'] | undefined
}

export function createRunContext(options: RunContextOptions): RunContext {
  const { log, limits, runtime, flowId, sessionId, open } = options
  const secrets = createSecrets()
  const service = options.services.messages ?? createRunMessages()
  const send: SendEvent = (event, data) => {
    if (log.nextSeq >= limits.events && event !== 'end') {
      options.overflow(limitExceeded('events', `a run may have ${limits.events} events`))
      return
    }
    log.push(eventOf(log.nextSeq, event, data))
  }
  const inputMessages = new Set<string>()
  const earlier = earlierMessages(service, inputMessages)
  return {
    ...options,
    services: Object.freeze({ ...options.services, messages: service }),
    rootServices: Object.freeze({ ...options.services, messages: earlier }),
    inputMessages,
    secrets,
    messages: createMessageLog({ service, send, runtime, secrets, flowId, sessionId, open }),
    send,
    suspend: options.suspend ?? notResumable,
  }
}

/** The one place that joins a kind with its data. */
function eventOf<K extends keyof RunEventData>(seq: number, event: K, data: EventData<K>) {
  // A token is as cheap to make as the function that would make it later.
  return (
    event === 'token' ? { seq, event, data: madeBy(data) } : new LazyEvent(seq, event, data)
  ) as RunEvent
}

function notResumable(): Promise<never> {
  return Promise.reject(
    new FlowError('not_resumable', 'The run cannot be suspended: it is no resumable job'),
  )
}
