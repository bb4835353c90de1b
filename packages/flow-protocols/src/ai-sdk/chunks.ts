import { append, isObject } from '@x/wire'
import type { SuspendedJson } from '@x/flow-engine'
import {
  isWithdrawn,
  surfaceMessages,
  TurnState,
  type CallOutcome,
  type TurnItem,
  type Withdrawal,
} from '../parts/turn-state.ts'
import type { TurnFacts } from '../turns/turns.ts'
import type { TurnPart } from '../parts/turn-part.ts'
import type { FileLinks } from '../files/file-links.ts'
import type { FlowMetadata } from './flow-ui-message.ts'

/** A chunk of a UI message stream. */
export interface Chunk {
  readonly type: string
  readonly [member: string]: unknown
}

/** Major version of the client: older ones reject chunks that they do not know. */
export type ClientVersion = 5 | 6 | 7

export interface ChunkWriterOptions {
  readonly version: ClientVersion
  readonly metadata: FlowMetadata
  readonly files: FileLinks
  readonly reasoning: boolean
}

type Question = Extract<TurnItem, { kind: 'question' }>
type Call = Extract<TurnItem, { kind: 'call' }>

const OWN = { dynamic: true, providerExecuted: true } as const

/** Writes the parts of one turn as chunks. */
export class ChunkWriter {
  readonly state = new TurnState()
  readonly #options: ChunkWriterOptions
  /** True once this stream has begun a step. */
  #inStep = false

  constructor(options: ChunkWriterOptions) {
    this.#options = options
  }

  /** Takes a part that the client has seen already, or that `standing` will write. */
  skip(part: TurnPart): void {
    this.state.add(part)
  }

  start(): Chunk[] {
    const { metadata } = this.#options
    return [{ type: 'start', messageId: metadata.turnId, messageMetadata: metadata }]
  }

  /** Everything that stands, with its steps; the last one is open. */
  standing(): Chunk[] {
    const chunks: Chunk[] = [{ type: 'start-step' }]
    this.#inStep = true
    for (const item of this.state.items) {
      append(chunks, this.#item(item))
      if (this.#endsStep(item)) chunks.push({ type: 'finish-step' }, { type: 'start-step' })
    }
    return chunks
  }

  /** The chunks of a part. */
  write(part: TurnPart): Chunk[] {
    const { state } = this
    const before = part.kind === 'withdrawn' ? this.#step() : []
    state.add(part)
    switch (part.kind) {
      case 'text-start':
        return [this.#textStart(part.id)]
      case 'text':
        return [{ type: 'text-delta', id: part.id, delta: part.text }]
      case 'text-end':
        return [{ type: 'text-end', id: part.id }]
      case 'reasoning-start':
        return this.#thinks([{ type: 'reasoning-start', id: part.id }])
      case 'reasoning':
        return this.#thinks([{ type: 'reasoning-delta', id: part.id, delta: part.text }])
      case 'reasoning-end':
        return this.#thinks([{ type: 'reasoning-end', id: part.id }])
      case 'call':
        return [callChunk(part)]
      case 'result':
        return outcomeIn(state, part.id, { output: part.output }, this.#options.version)
      case 'call-error':
        return outcomeIn(state, part.id, { error: part.error }, this.#options.version)
      case 'denied':
        return outcomeIn(state, part.id, { denied: part.reason }, this.#options.version)
      case 'question':
        return this.#ask({ ...part })
      case 'answer':
      case 'expired': {
        const found = state.items.findLast((item) => isAsked(item, part.requestId))
        if (found?.kind !== 'question') return []
        return [...this.#end(found), ...(this.#endsStep(found) ? this.#nextStep() : [])]
      }
      case 'block':
        return [{ type: 'data-block', id: part.id, data: this.#options.files.block(part.block) }]
      case 'surface': {
        const found = state.items.find((item) => item.kind === 'surface' && item.id === part.id)
        return found === undefined ? [] : this.#item(found)
      }
      case 'file':
        return [{ type: 'file', ...this.#options.files.link(part.path) }]
      case 'source':
        return [sourceChunk(part)]
      case 'withdrawn':
        return this.#withdraw(part, before)
      case 'failed':
      case 'end':
      case 'step':
        return []
    }
  }

  /** The last chunks of a turn that has ended or rests with a question. */
  finish(facts: TurnFacts): Chunk[] {
    const { error, cancelled, question } = this.state
    if (error !== undefined && !cancelled)
      return [
        { type: 'finish-step' },
        { type: 'error', errorText: error },
        { type: 'finish', finishReason: 'error' },
      ]
    if (cancelled) return [{ type: 'abort', reason: 'stopped' }]
    const finishReason = question === undefined ? 'stop' : 'tool-calls'
    const { usage, durationMs } = facts
    const messageMetadata = { ...(usage === undefined ? {} : { usage }), durationMs }
    return [{ type: 'finish-step' }, { type: 'finish', finishReason, messageMetadata }]
  }

  /** True if a question is one that the page answers as a tool of its own; else it is an approval. */
  asksPage({ callId }: Pick<Question, 'callId'>): boolean {
    return callId === undefined || this.#options.version === 5
  }

  /** After an answer of the page another step begins, else it would answer again and again. */
  #endsStep(item: TurnItem): boolean {
    return item.kind === 'question' && item.end !== undefined && this.asksPage(item)
  }

  #nextStep(): Chunk[] {
    const before = this.#inStep ? [{ type: 'finish-step' }] : []
    this.#inStep = true
    return [...before, { type: 'start-step' }]
  }

  /** The items of the current step. */
  #step(): TurnItem[] {
    const { items } = this.state
    return items.slice(items.findLastIndex((item) => this.#endsStep(item)) + 1)
  }

  #withdraw(part: Withdrawal, before: readonly TurnItem[]): Chunk[] {
    const gone = before.filter((item) => isWithdrawn(item, part))
    if (gone.length === 0) return []
    if (this.#options.version === 7)
      return [{ type: 'reset-step' }, ...this.#step().flatMap((item) => this.#item(item))]
    const texts = gone.filter((item) => item.kind === 'text')
    const ends = texts.flatMap(({ id, open }) => (open ? [{ type: 'text-end', id }] : []))
    const ids = texts.map(({ id }) => id)
    return ids.length === 0 ? [] : [...ends, { type: 'data-withdrawn', data: { ids } }]
  }

  #item(item: TurnItem): Chunk[] {
    switch (item.kind) {
      case 'text':
        return [
          this.#textStart(item.id),
          ...(item.text === '' ? [] : [{ type: 'text-delta', id: item.id, delta: item.text }]),
          ...(item.open ? [] : [{ type: 'text-end', id: item.id }]),
        ]
      case 'reasoning':
        return this.#thinks([
          { type: 'reasoning-start', id: item.id },
          { type: 'reasoning-delta', id: item.id, delta: item.text },
          ...(item.open ? [] : [{ type: 'reasoning-end', id: item.id }]),
        ])
      case 'call': {
        const isAskedAbout = this.state.items.some(
          (one) => one.kind === 'question' && one.callId === item.id,
        )
        return [callChunk(item), ...(isAskedAbout ? [] : this.#outcome(item))]
      }
      case 'question': {
        const call = item.callId === undefined ? undefined : this.state.call(item.callId)
        const edited = call?.edited === true && item.end !== undefined ? [callChunk(call)] : []
        const rest = call === undefined ? [] : [...edited, ...this.#outcome(call)]
        return [...this.#ask(item), ...this.#end(item), ...rest]
      }
      case 'block':
        return [{ type: 'data-block', id: item.id, data: this.#options.files.block(item.block) }]
      case 'surface':
        return [{ type: 'data-a2ui', id: item.id, data: { messages: surfaceMessages(item) } }]
      case 'file':
        return [{ type: 'file', ...this.#options.files.link(item.path) }]
      case 'source':
        return [sourceChunk(item)]
    }
  }

  #outcome({ id, outcome }: Call): Chunk[] {
    return outcome === undefined ? [] : outcomeChunks(id, outcome, this.#options.version)
  }

  #ask({ question, callId }: Pick<Question, 'question' | 'callId'>): Chunk[] {
    if (callId === undefined || this.#options.version === 5)
      return [
        {
          type: 'tool-input-available',
          toolCallId: question.request_id,
          toolName: 'ask_person',
          input: questionInput(question),
        },
      ]
    const { request_id: approvalId, prompt } = question
    return [
      {
        type: 'tool-approval-request',
        approvalId,
        toolCallId: callId,
        ...(prompt === null ? {} : { reason: prompt }),
        approvalDescriptor: descriptorOf(question),
      },
    ]
  }

  #end({ question, callId, end }: Pick<Question, 'question' | 'callId' | 'end'>): Chunk[] {
    if (end === undefined) return []
    const { request_id: id } = question
    if (this.asksPage(callId === undefined ? {} : { callId }))
      return 'expired' in end
        ? [{ type: 'tool-output-error', toolCallId: id, errorText: nobody(end.expired) }]
        : [{ type: 'tool-output-available', toolCallId: id, output: end.decision }]
    if ('expired' in end || this.#options.version !== 7) return []
    return [{ type: 'tool-approval-response', approvalId: id, ...approvalOf(end.decision) }]
  }

  /** Older clients learn by their ids which texts no longer stand. */
  #textStart(id: string): Chunk {
    const { version } = this.#options
    const type = 'text-start'
    return version === 7 ? { type, id } : { type, id, providerMetadata: { flow: { id } } }
  }

  #thinks(chunks: Chunk[]): Chunk[] {
    return this.#options.reasoning ? chunks : []
  }
}

export const nobody = (after: string): string => `Nobody answered within ${after}`

export function questionInput(question: SuspendedJson) {
  const { prompt, kind, options, schema, question: asked, expires_at, action_requests } = question
  return {
    prompt,
    kind,
    options,
    schema,
    question: asked,
    expiresAt: expires_at,
    ...(action_requests === undefined ? {} : { actionRequests: action_requests }),
  }
}

export function descriptorOf(question: SuspendedJson): Record<string, unknown> {
  const { kind, options, allowed_decisions, schema, expires_at, action_requests } = question
  const description = action_requests?.[0]?.description
  return {
    kind,
    options,
    allowedDecisions: allowed_decisions,
    ...(schema === null ? {} : { schema }),
    ...(description === undefined ? {} : { description }),
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
  }
}

export function approvalOf(decision: unknown): { approved: boolean; reason?: string } {
  const { action_id: action, values } = isObject(decision) ? decision : {}
  if (action !== 'reject') return { approved: true }
  const reason: unknown = isObject(values) ? values['message'] : undefined
  return { approved: false, ...(typeof reason === 'string' && reason !== '' ? { reason } : {}) }
}

export function sourceChunk({ id, source }: Extract<TurnItem, { kind: 'source' }>): Chunk {
  const { type, ...facts } = source
  return { type: `source-${type}`, sourceId: id, ...facts }
}

function callChunk({ id, name, input }: Pick<Call, 'id' | 'name' | 'input'>): Chunk {
  return { type: 'tool-input-available', toolCallId: id, toolName: name, input, ...OWN }
}

/** Only the first end of a call counts: one that was denied has no result. */
function outcomeIn(
  state: TurnState,
  id: string,
  outcome: CallOutcome,
  version: ClientVersion,
): Chunk[] {
  const kept = state.call(id)?.outcome
  return JSON.stringify(kept) === JSON.stringify(outcome) ? outcomeChunks(id, outcome, version) : []
}

function outcomeChunks(id: string, outcome: CallOutcome, version: ClientVersion): Chunk[] {
  const error = (errorText: string): Chunk[] => [
    { type: 'tool-output-error', toolCallId: id, errorText, ...OWN },
  ]
  if ('output' in outcome)
    return [{ type: 'tool-output-available', toolCallId: id, output: outcome.output, ...OWN }]
  if ('error' in outcome) return error(outcome.error)
  return version === 5
    ? error(outcome.denied === '' ? 'The call was rejected' : outcome.denied)
    : [{ type: 'tool-output-denied', toolCallId: id }]
}

function isAsked(item: TurnItem, requestId: string): boolean {
  return item.kind === 'question' && item.question.request_id === requestId
}
