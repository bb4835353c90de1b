import { append } from '@x/wire'
import type { SuspendedJson } from '@x/flow-engine'
import type { FileLinks } from '../files/file-links.ts'
import { callId } from '../parts/call-id.ts'
import { textOrJson } from '../parts/tool-steps.ts'
import type { TurnPart } from '../parts/turn-part.ts'
import {
  isWithdrawn,
  surfaceMessages,
  TurnState,
  type CallOutcome,
  type TurnItem,
} from '../parts/turn-state.ts'

/** An event of an AG-UI stream, or a message of a snapshot. */
export type AgUiJson = Readonly<Record<string, unknown>>

export interface EventWriterOptions {
  readonly threadId: string
  readonly runId: string
  /** What the client holds besides the run. */
  readonly messages: readonly AgUiJson[]
  readonly files: FileLinks
  readonly reasoning: boolean
  readonly wantsSteps: boolean
}

/** Writes the parts of a turn as the events of one run. */
export class EventWriter {
  readonly state = new TurnState()
  readonly #options: EventWriterOptions
  readonly #steps = new Set<string>()
  /** Surfaces that the client holds as this run shows them. */
  readonly #cards = new Set<string>()

  constructor(options: EventWriterOptions) {
    this.#options = options
  }

  start(): AgUiJson[] {
    const { threadId, runId } = this.#options
    return [{ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }]
  }

  /** Takes a part that the client holds, or that `snapshot` will show. */
  skip(part: TurnPart): void {
    this.state.add(part)
  }

  /** The messages so far; texts that go on are begun again, for the rest. */
  snapshot(): AgUiJson[] {
    const messages = [...this.#options.messages, ...this.#messages()]
    for (const item of this.state.items) if (item.kind === 'surface') this.#cards.add(item.id)
    return [
      { type: 'MESSAGES_SNAPSHOT', messages },
      ...this.state.items.flatMap((item) => this.#begin(item)),
    ]
  }

  write(part: TurnPart): AgUiJson[] {
    const { state } = this
    if (part.kind === 'withdrawn') return this.#withdraw(part)
    if (part.kind === 'call' && state.call(part.id) !== undefined)
      return this.#again(() => state.add(part))
    const isNews =
      part.kind !== 'result' && part.kind !== 'call-error' && part.kind !== 'denied'
        ? true
        : state.call(part.id)?.outcome === undefined
    state.add(part)
    switch (part.kind) {
      case 'text-start':
        return [{ type: 'TEXT_MESSAGE_START', messageId: part.id, role: 'assistant' }]
      case 'text':
        return [{ type: 'TEXT_MESSAGE_CONTENT', messageId: part.id, delta: part.text }]
      case 'text-end':
        return [{ type: 'TEXT_MESSAGE_END', messageId: part.id }]
      case 'reasoning-start':
        return this.#thinks(beginReasoning(part.id))
      case 'reasoning':
        return this.#thinks([
          { type: 'REASONING_MESSAGE_CONTENT', messageId: thought(part.id), delta: part.text },
        ])
      case 'reasoning-end':
        return this.#thinks(endReasoning(part.id))
      case 'call':
        return [
          { type: 'TOOL_CALL_START', toolCallId: part.id, toolCallName: part.name },
          { type: 'TOOL_CALL_ARGS', toolCallId: part.id, delta: JSON.stringify(part.input) },
          { type: 'TOOL_CALL_END', toolCallId: part.id },
        ]
      case 'result':
        return isNews ? [resultEvent(part.id, { output: part.output })] : []
      case 'call-error':
        return isNews ? [resultEvent(part.id, { error: part.error })] : []
      case 'denied':
        return isNews ? [resultEvent(part.id, { denied: part.reason })] : []
      case 'block':
      case 'file':
      case 'source':
        return this.#activity(part)
      case 'surface':
        return this.#surface(part)
      case 'step':
        return this.#options.wantsSteps ? this.#step(part) : []
      default:
        return []
    }
  }

  /** Closes what is open. */
  close(): AgUiJson[] {
    const texts = this.state.items.flatMap((item) => this.#end(item))
    const steps = [...this.#steps].map((stepName) => ({ type: 'STEP_FINISHED', stepName }))
    this.#steps.clear()
    return [...texts, ...steps]
  }

  finished(outcome: AgUiJson, more: AgUiJson = {}): AgUiJson {
    const { threadId, runId } = this.#options
    return { type: 'RUN_FINISHED', threadId, runId, outcome, ...more }
  }

  /** The messages of what stands. */
  #messages(): AgUiJson[] {
    const messages: AgUiJson[] = []
    for (const item of this.state.items) {
      if (item.kind === 'text')
        messages.push({ id: item.id, role: 'assistant', content: item.text })
      else if (item.kind === 'reasoning') {
        if (this.#options.reasoning)
          messages.push({ id: thought(item.id), role: 'reasoning', content: item.text })
      } else if (item.kind === 'call') append(messages, callMessages(item))
      else if (item.kind !== 'question') {
        const [event] = item.kind === 'surface' ? [card(item)] : this.#activity(item)
        if (event === undefined) continue
        const { messageId: id, activityType, content } = event
        const at = messages.findIndex((message) => message['id'] === id)
        const message = { id, role: 'activity', activityType, content }
        messages.splice(at < 0 ? messages.length : at, at < 0 ? 0 : 1, message)
      }
    }
    return messages
  }

  #withdraw(part: Extract<TurnPart, { kind: 'withdrawn' }>): AgUiJson[] {
    const { items } = this.state
    const gone = items.filter((item) => isWithdrawn(item, part))
    if (gone.length === 0) return []
    return this.#again(() => this.state.add(part), gone)
  }

  /** Ends open texts, shows what stands after the change, and goes on with the texts that are open still. */
  #again(change: () => void, gone: readonly TurnItem[] = []): AgUiJson[] {
    const ends = this.state.items.flatMap((item) => this.#end(item))
    change()
    const [snapshot, ...begun] = this.snapshot()
    const thoughts = this.#options.reasoning
      ? gone.flatMap((item) =>
          item.kind === 'reasoning'
            ? [{ id: thought(item.id), role: 'reasoning', content: '' }]
            : [],
        )
      : []
    const messages = [...((snapshot?.['messages'] ?? []) as AgUiJson[]), ...thoughts]
    return [...ends, { type: 'MESSAGES_SNAPSHOT', messages }, ...begun]
  }

  #begin(item: TurnItem): AgUiJson[] {
    if (item.kind === 'text' && item.open)
      return [{ type: 'TEXT_MESSAGE_START', messageId: item.id, role: 'assistant' }]
    if (item.kind === 'reasoning' && item.open) return this.#thinks(beginReasoning(item.id))
    return []
  }

  #end(item: TurnItem): AgUiJson[] {
    if (item.kind === 'text' && item.open) return [{ type: 'TEXT_MESSAGE_END', messageId: item.id }]
    if (item.kind === 'reasoning' && item.open) return this.#thinks(endReasoning(item.id))
    return []
  }

  /** The whole card, once for each run; then what is added to it. */
  #surface({ id, messages }: Extract<TurnPart, { kind: 'surface' }>): AgUiJson[] {
    const item = this.state.items.find((one) => one.kind === 'surface' && one.id === id)
    if (item?.kind !== 'surface') return []
    const isMore =
      item.shown.length > 1 && surfaceMessages(item).length > messages.length && this.#cards.has(id)
    this.#cards.add(id)
    if (!isMore) return [card(item)]
    const patch = messages.map((value) => ({ op: 'add', path: '/a2ui_operations/-', value }))
    return [{ type: 'ACTIVITY_DELTA', messageId: `a2ui:${id}`, activityType: CARD, patch }]
  }

  #activity(part: Extract<TurnItem, { kind: 'block' | 'file' | 'source' }>): AgUiJson[] {
    const shown = (messageId: string, activityType: string, content: AgUiJson): AgUiJson[] => [
      { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content, replace: true },
    ]
    const { files } = this.#options
    if (part.kind === 'block') return shown(part.id, 'flow-block', files.block(part.block))
    if (part.kind === 'file') {
      const name = part.path.split('/').at(-1) ?? ''
      const id = `${part.messageId}:${callId(part.path).slice('call_'.length)}`
      return shown(id, 'flow-file', { ...files.link(part.path), name })
    }
    const id = part.id.slice(0, part.id.lastIndexOf(':'))
    const sources = this.state.items.flatMap((item) =>
      item.kind === 'source' && item.id.startsWith(`${id}:`) ? [item.source] : [],
    )
    return shown(`${id}:sources`, 'flow-sources', { sources })
  }

  #step({ vertexId: stepName, state }: Extract<TurnPart, { kind: 'step' }>): AgUiJson[] {
    const isOpen = this.#steps.has(stepName)
    const begin = isOpen ? [] : [{ type: 'STEP_STARTED', stepName }]
    if (state === 'started') {
      this.#steps.add(stepName)
      return begin
    }
    this.#steps.delete(stepName)
    return [...begin, { type: 'STEP_FINISHED', stepName }]
  }

  #thinks(events: AgUiJson[]): AgUiJson[] {
    return this.#options.reasoning ? events : []
  }
}

const CARD = 'a2ui-surface'

function card(item: Extract<TurnItem, { kind: 'surface' }>): AgUiJson {
  const content = { a2ui_operations: surfaceMessages(item) }
  const messageId = `a2ui:${item.id}`
  return { type: 'ACTIVITY_SNAPSHOT', messageId, activityType: CARD, content, replace: true }
}

const thought = (id: string): string => `${id}:reasoning`

function beginReasoning(id: string): AgUiJson[] {
  const messageId = thought(id)
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ]
}

function endReasoning(id: string): AgUiJson[] {
  const messageId = thought(id)
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ]
}

function resultEvent(id: string, outcome: CallOutcome): AgUiJson {
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: `${id}:result`,
    toolCallId: id,
    role: 'tool',
    ...resultOf(outcome),
  }
}

function resultOf(outcome: CallOutcome): AgUiJson {
  if ('output' in outcome) return { content: textOrJson(outcome.output) }
  const denied = 'denied' in outcome ? outcome.denied : undefined
  const error = 'error' in outcome ? outcome.error : denied === '' ? REJECTED : (denied ?? '')
  return { content: error, metadata: { isError: true } }
}

const REJECTED = 'The call was rejected'

function callMessages({
  id,
  name,
  input,
  outcome,
}: Extract<TurnItem, { kind: 'call' }>): AgUiJson[] {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
  const message = { id, role: 'assistant', toolCalls: [call] }
  if (outcome === undefined) return [message]
  return [message, { id: `${id}:result`, role: 'tool', toolCallId: id, ...resultOf(outcome) }]
}

/** The interrupt of a question; members without a value are left out. */
export function interruptOf(question: SuspendedJson, toolCallId: string | undefined): AgUiJson {
  const { request_id, kind, prompt, schema, expires_at, options, allowed_decisions } = question
  return {
    id: request_id,
    reason: kind,
    ...(prompt === null ? {} : { message: prompt }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(schema === null ? {} : { responseSchema: schema }),
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
    metadata: {
      options,
      allowedDecisions: allowed_decisions,
      question: question.question,
      ...(question.action_requests === undefined
        ? {}
        : { actionRequests: question.action_requests }),
    },
  }
}
