import type { SuspendedJson } from '@x/flow-engine'
import { append, isObject } from '@x/wire'
import { callId } from './call-id.ts'
import { textOrJson, type ToolStep } from './tool-steps.ts'
import type { TurnPart } from './turn-part.ts'

interface Call {
  readonly id: string
  readonly name: string
  input: unknown
  done: boolean
  /** A person was asked about it. */
  asked: boolean
  /** Its input will change, as a person has edited it. */
  edited: boolean
}

/** The calls of one agent's message. */
interface Slot {
  readonly calls: Call[]
  /** The message that shows them; undefined once it was withdrawn. */
  messageId: string | undefined
}

/**
 * The tool calls of a turn. An agent that runs again announces its calls in another message: those with the
 * same place, name and input are the same calls.
 */
export class TurnCalls {
  readonly #turnId: string
  readonly #slots: Slot[] = []
  /** The call that each open question is about. */
  readonly #questions = new Map<string, Call>()

  constructor(turnId: string) {
    this.#turnId = turnId
  }

  /** The steps that a message shows now. */
  read(messageId: string, steps: readonly ToolStep[]): TurnPart[] {
    const [first] = steps
    if (first === undefined) return []
    const slot = this.#slots.find((one) => one.messageId === messageId) ?? this.#adopt(first)
    slot.messageId = messageId
    const parts: TurnPart[] = []
    for (const [index, step] of steps.entries()) {
      let call = slot.calls[index]
      if (call !== undefined && !isSame(call, step)) {
        // What follows the first difference is another run of the agent.
        const gone = slot.calls.splice(index).filter(({ done }) => !done)
        append(parts, withdrawal(messageId, gone))
        call = undefined
      }
      append(parts, call === undefined ? this.#announce(slot, step) : changed(call, step))
      call ??= slot.calls[index]
      if (call !== undefined) append(parts, ended(call, step))
    }
    return parts
  }

  /** The message was removed; its calls wait for the next run of the agent. */
  leave(messageId: string): void {
    for (const slot of this.#slots) if (slot.messageId === messageId) slot.messageId = undefined
  }

  /** The call that a question is about, announced if no message shows it. */
  ask({
    request_id: id,
    action_requests: requests,
  }: SuspendedJson): [string | undefined, TurnPart[]] {
    const [request] = requests ?? []
    if (request === undefined) return [undefined, []]
    const calls = this.#slots.flatMap((slot) => slot.calls)
    let call = calls.findLast(({ done, name }) => !done && name === request.name)
    const parts: TurnPart[] = []
    if (call === undefined) {
      call = toCall(callId(this.#turnId, id), { name: request.name, input: request.args })
      this.#slots.push({ calls: [call], messageId: undefined })
      parts.push(announced(call))
    }
    call.asked = true
    this.#questions.set(id, call)
    return [call.id, parts]
  }

  answer(requestId: string, decision: unknown): TurnPart[] {
    const call = this.#questions.get(requestId)
    if (call === undefined || !isObject(decision)) return []
    this.#questions.delete(requestId)
    const { action_id: action, values } = decision
    call.edited = action === 'edit'
    if (action !== 'reject') return []
    call.done = true
    const message: unknown = isObject(values) ? values['message'] : undefined
    return [{ kind: 'denied', id: call.id, reason: typeof message === 'string' ? message : '' }]
  }

  expire(requestId: string, after: string): TurnPart[] {
    const call = this.#questions.get(requestId)
    if (call === undefined) return []
    this.#questions.delete(requestId)
    call.done = true
    return [{ kind: 'call-error', id: call.id, error: `Nobody answered within ${after}` }]
  }

  /** At the end of the turn no call stays open; those that the agent did not repeat are withdrawn. */
  close(): TurnPart[] {
    return this.#slots.flatMap(({ calls, messageId }) =>
      calls
        .filter(({ done }) => !done)
        .flatMap((call): TurnPart[] => {
          call.done = true
          if (messageId === undefined && !call.asked) return withdrawal('', [call])
          return [{ kind: 'call-error', id: call.id, error: UNANSWERED }]
        }),
    )
  }

  /** The slot of an agent that runs again, or a new one. */
  #adopt(first: ToolStep): Slot {
    const left = this.#slots.find(({ messageId, calls }) => {
      const [call] = calls
      return messageId === undefined && call !== undefined && isSame(call, first)
    })
    if (left !== undefined) return left
    const slot: Slot = { calls: [], messageId: undefined }
    this.#slots.push(slot)
    return slot
  }

  #announce(slot: Slot, step: ToolStep): TurnPart[] {
    const taken = new Set(this.#slots.flatMap(({ calls }) => calls.map(({ id }) => id)))
    const place = [this.#turnId, this.#slots.indexOf(slot), slot.calls.length] as const
    let id = callId(...place)
    for (let again = 1; taken.has(id); again += 1) id = callId(...place, again)
    const call = toCall(id, step)
    slot.calls.push(call)
    return [announced(call)]
  }
}

const UNANSWERED = 'The run ended before the tool answered.'

function toCall(id: string, { name, input }: Pick<ToolStep, 'name' | 'input'>): Call {
  return { id, name, input, done: false, asked: false, edited: false }
}

function announced({ id, name, input }: Call): TurnPart {
  return { kind: 'call', id, name, input }
}

function isSame({ name, input, edited }: Call, step: ToolStep): boolean {
  return name === step.name && (edited || JSON.stringify(input) === JSON.stringify(step.input))
}

/** An edited call is announced again. */
function changed(call: Call, { input }: ToolStep): TurnPart[] {
  call.edited = false
  if (JSON.stringify(call.input) === JSON.stringify(input)) return []
  call.input = input
  return [announced(call)]
}

function ended(call: Call, { output, error }: ToolStep): TurnPart[] {
  if (call.done || (output === null && error === null)) return []
  call.done = true
  return error === null
    ? [{ kind: 'result', id: call.id, output }]
    : [{ kind: 'call-error', id: call.id, error: textOrJson(error) }]
}

function withdrawal(messageId: string, calls: readonly Call[]): TurnPart[] {
  if (calls.length === 0) return []
  return [{ kind: 'withdrawn', messageId: `${messageId}:calls`, calls: calls.map(({ id }) => id) }]
}
