import { append, isObject } from '@x/wire'
import type { MessageJson, RunEvent, VertexBuildJson } from '@x/flow-engine'
import { shownEntries } from './shown-entries.ts'
import { blockEntries, toolSteps } from './tool-steps.ts'
import { TurnCalls } from './turn-calls.ts'
import type { TurnPart } from './turn-part.ts'

interface Text {
  text: string
  open: boolean
  complete: boolean
  /** How often its model has thought; that of now is open. */
  thoughts: number
  thinks: boolean
}

/** Translates the events of one turn, in order: the same events give the same parts in any process. */
export class TurnTranslator {
  readonly #calls: TurnCalls
  readonly #texts = new Map<string, Text>()
  /** Blocks and sources as last sent, by id. */
  readonly #shown = new Map<string, string>()
  /** The message that shows each file first. */
  readonly #files = new Map<string, string>()
  #failed = false

  /** @param turnId the job of the turn */
  constructor(turnId: string) {
    this.#calls = new TurnCalls(turnId)
  }

  read(event: RunEvent): TurnPart[] {
    switch (event.event) {
      case 'token':
        return this.#token(event.data)
      case 'reasoning':
        return this.#reasoning(event.data)
      case 'add_message':
        return this.#message(event.data)
      case 'remove_message':
        return this.#remove(event.data.id)
      case 'suspended': {
        const [callId, parts] = this.#calls.ask(event.data)
        const question = { kind: 'question', question: event.data } as const
        return [...parts, callId === undefined ? question : { ...question, callId }]
      }
      case 'answered': {
        const { request_id: requestId, decision, expired } = event.data
        if (expired !== undefined)
          return [
            { kind: 'expired', requestId, after: expired },
            ...this.#calls.expire(requestId, expired),
          ]
        return [{ kind: 'answer', requestId, decision }, ...this.#calls.answer(requestId, decision)]
      }
      case 'end_vertex':
        return [
          ...this.#unstored(event.data.build_data),
          { kind: 'step', vertexId: event.data.build_data.id, state: 'finished' },
        ]
      case 'build_start':
        return [{ kind: 'step', vertexId: event.data.id, state: 'started' }]
      case 'error':
        return this.#fail(event.data.text)
      case 'end':
        return [...this.#close(), { kind: 'end', cancelled: event.data.cancelled === true }]
      default:
        return []
    }
  }

  #token({ id, chunk }: { readonly id: string; readonly chunk: string }): TurnPart[] {
    if (chunk === '') return []
    const known = this.#texts.get(id)
    if (known?.complete === true) return []
    const text = known ?? newText()
    this.#texts.set(id, text)
    text.text += chunk
    return [...closeReasoning(id, text), ...open(id, text), { kind: 'text', id, text: chunk }]
  }

  #reasoning({ id, chunk }: { readonly id: string; readonly chunk: string }): TurnPart[] {
    if (chunk === '') return []
    const text = this.#texts.get(id) ?? newText()
    if (text.complete) return []
    this.#texts.set(id, text)
    const begin: TurnPart[] = []
    if (!text.thinks) {
      text.thinks = true
      text.thoughts += 1
      begin.push({ kind: 'reasoning-start', id: thoughtId(id, text), messageId: id })
    }
    return [...begin, { kind: 'reasoning', id: thoughtId(id, text), text: chunk }]
  }

  #message(message: MessageJson): TurnPart[] {
    const { id = '', sender, text, content_blocks: blocks, files } = message
    if (sender === 'User') return []
    const entries = blockEntries(blocks)
    if (entries.some(({ type }) => type === 'human_input')) return []
    const steps = toolSteps(entries)
    const known = this.#texts.get(id)
    return [
      ...(steps.length > 0 && known !== undefined ? closeReasoning(id, known) : []),
      ...this.#calls.read(id, steps),
      ...(stateOf(message) === 'partial' ? [] : this.#complete(id, text)),
      ...this.#news(shownEntries(id, entries)),
      ...this.#news(files.map((path) => ({ kind: 'file', path: String(path), messageId: id }))),
    ]
  }

  #complete(id: string, whole: string): TurnPart[] {
    const known = this.#texts.get(id)
    const text = known ?? newText()
    if (text.complete && text.text === whole) return []
    this.#texts.set(id, text)
    const parts: TurnPart[] = [...closeReasoning(id, text)]
    if (!whole.startsWith(text.text) || text.complete) {
      if (text.text !== '') parts.push({ ...this.#withdraw(id), keepsReasoning: true })
      Object.assign(text, { text: '', open: false })
    }
    const rest = whole.slice(text.text.length)
    if (rest !== '') append(parts, [...open(id, text), { kind: 'text', id, text: rest }])
    if (text.open) parts.push({ kind: 'text-end', id })
    Object.assign(text, { text: whole, open: false, complete: true })
    return parts
  }

  #remove(id: string): TurnPart[] {
    this.#calls.leave(id)
    this.#texts.delete(id)
    return [this.#withdraw(id)]
  }

  #withdraw(messageId: string): Extract<TurnPart, { kind: 'withdrawn' }> {
    for (const key of this.#shown.keys()) if (messageOf(key) === messageId) this.#shown.delete(key)
    for (const [path, id] of this.#files) if (id === messageId) this.#files.delete(path)
    return { kind: 'withdrawn', messageId, calls: [] }
  }

  /** Each block again only when it has changed; a file once in a turn. */
  #news(parts: readonly TurnPart[]): TurnPart[] {
    return parts.filter((part) => {
      if (part.kind === 'file') {
        if (this.#files.has(part.path)) return false
        this.#files.set(part.path, part.messageId)
      } else if (part.kind === 'block' || part.kind === 'source') {
        const value = JSON.stringify(part)
        if (this.#shown.get(part.id) === value) return false
        this.#shown.set(part.id, value)
      }
      return true
    })
  }

  /** A chat output whose message is not stored announces none: its text is in its result. */
  #unstored({ id: vertexId, data }: VertexBuildJson): TurnPart[] {
    return Object.values(data.results).flatMap((result) => {
      const message: unknown = isObject(result) ? result['data'] : undefined
      if (!isObject(message) || message['sender'] !== 'Machine') return []
      const { id, text } = message
      if (typeof text !== 'string' || text === '' || message['error'] === true) return []
      if (typeof id === 'string' && this.#texts.has(id)) return this.#complete(id, text)
      return this.#complete(vertexId, text)
    })
  }

  #fail(text: string): TurnPart[] {
    if (this.#failed) return []
    this.#failed = true
    return [{ kind: 'failed', error: text.replace(/\n$/, '') }]
  }

  #close(): TurnPart[] {
    const texts = [...this.#texts].flatMap(([id, text]): TurnPart[] => {
      const parts = closeReasoning(id, text)
      if (!text.open) return parts
      text.open = false
      return [...parts, { kind: 'text-end', id }]
    })
    return [...texts, ...this.#calls.close()]
  }
}

/** The parts of a turn, for a door of one's own. @param events of its job, from the first */
export async function* turnParts(
  events: AsyncIterable<RunEvent>,
  { turnId = '' }: { readonly turnId?: string } = {},
): AsyncGenerator<TurnPart, void, undefined> {
  const translator = new TurnTranslator(turnId)
  for await (const event of events) yield* translator.read(event)
}

function newText(): Text {
  return { text: '', open: false, complete: false, thoughts: 0, thinks: false }
}

function open(id: string, text: Text): TurnPart[] {
  if (text.open) return []
  text.open = true
  return [{ kind: 'text-start', id, messageId: id }]
}

function closeReasoning(id: string, text: Text): TurnPart[] {
  if (!text.thinks) return []
  text.thinks = false
  return [{ kind: 'reasoning-end', id: thoughtId(id, text) }]
}

/** The first has the id of the message. */
function thoughtId(id: string, { thoughts }: Text): string {
  return thoughts < 2 ? id : `${id}:${thoughts}`
}

function stateOf({ properties }: MessageJson): unknown {
  return isObject(properties) ? properties['state'] : undefined
}

/** The message of a block or a source. */
function messageOf(id: string): string {
  return id.slice(0, id.lastIndexOf(':'))
}
