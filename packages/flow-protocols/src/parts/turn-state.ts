import type { SuspendedJson } from '@x/flow-engine'
import { addToSurface } from './door-surfaces.ts'
import type { TurnPart, TurnSource } from './turn-part.ts'

/** What stands of a turn, in the order in which it appeared. */
export type TurnItem =
  | (Streamed & { readonly kind: 'text' })
  | (Streamed & { readonly kind: 'reasoning' })
  | {
      readonly kind: 'call'
      readonly id: string
      readonly name: string
      input: unknown
      /** Announced again with what a person made of its input. */
      edited: boolean
      outcome: CallOutcome | undefined
    }
  | {
      readonly kind: 'question'
      readonly question: SuspendedJson
      readonly callId?: string
      end?: QuestionEnd
    }
  | { readonly kind: 'block'; readonly id: string; block: Readonly<Record<string, unknown>> }
  | { readonly kind: 'file'; readonly path: string; readonly messageId: string }
  | {
      readonly kind: 'surface'
      readonly id: string
      /** By the message that shows them. */
      shown: readonly { readonly messageId: string; readonly messages: readonly object[] }[]
    }
  | { readonly kind: 'source'; readonly id: string; readonly source: TurnSource }

interface Streamed {
  readonly id: string
  readonly messageId: string
  text: string
  open: boolean
}

export type CallOutcome =
  | { readonly output: unknown }
  | { readonly error: string }
  | { readonly denied: string }

export type QuestionEnd = { readonly decision: unknown } | { readonly expired: string }

/** The sum of a turn's parts. */
export class TurnState {
  items: TurnItem[] = []
  error: string | undefined
  cancelled = false
  ended = false
  /** The question that waits for an answer. */
  question: SuspendedJson | undefined

  add(part: TurnPart): void {
    const { items } = this
    switch (part.kind) {
      case 'text-start':
        items.push({ ...part, kind: 'text', text: '', open: true })
        break
      case 'reasoning-start':
        items.push({ ...part, kind: 'reasoning', text: '', open: true })
        break
      case 'text':
      case 'reasoning': {
        const item = this.#find(part.kind, part.id)
        if (item !== undefined) item.text += part.text
        break
      }
      case 'text-end':
      case 'reasoning-end': {
        const item = this.#find(part.kind === 'text-end' ? 'text' : 'reasoning', part.id)
        if (item !== undefined) item.open = false
        break
      }
      case 'call': {
        const known = this.call(part.id)
        if (known === undefined) items.push({ ...part, edited: false, outcome: undefined })
        else Object.assign(known, { input: part.input, edited: true })
        break
      }
      case 'result':
        this.#end(part.id, { output: part.output })
        break
      case 'call-error':
        this.#end(part.id, { error: part.error })
        break
      case 'denied':
        this.#end(part.id, { denied: part.reason })
        break
      case 'question':
        items.push({ ...part })
        this.question = part.question
        break
      case 'answer':
        this.#answer(part.requestId, { decision: part.decision })
        break
      case 'expired':
        this.#answer(part.requestId, { expired: part.after })
        break
      case 'block': {
        const known = items.find((item) => item.kind === 'block' && item.id === part.id)
        if (known?.kind === 'block') known.block = part.block
        else items.push({ ...part })
        break
      }
      case 'surface': {
        const known = items.find((item) => item.kind === 'surface' && item.id === part.id)
        if (known?.kind === 'surface') known.shown = [...known.shown, part]
        else items.push({ kind: 'surface', id: part.id, shown: [part] })
        break
      }
      case 'file':
      case 'source':
        items.push(part)
        break
      case 'withdrawn':
        this.#withdraw(part)
        break
      case 'failed':
        this.error ??= part.error
        break
      case 'end':
        this.cancelled = part.cancelled
        this.ended = true
        this.question = undefined
        break
      case 'step':
        break
    }
  }

  call(id: string): Extract<TurnItem, { kind: 'call' }> | undefined {
    return this.items.find((item) => item.kind === 'call' && item.id === id) as
      | Extract<TurnItem, { kind: 'call' }>
      | undefined
  }

  /** The first text of the answer that is not empty; else "". */
  get firstText(): string {
    const found = this.items.find((item) => item.kind === 'text' && item.text !== '')
    return found?.kind === 'text' ? found.text : ''
  }

  #find(kind: 'text' | 'reasoning', id: string) {
    const found = this.items.findLast((item) => item.kind === kind && item.id === id)
    return found?.kind === 'text' || found?.kind === 'reasoning' ? found : undefined
  }

  #end(id: string, outcome: CallOutcome): void {
    const call = this.call(id)
    if (call !== undefined) call.outcome ??= outcome
  }

  #answer(requestId: string, end: QuestionEnd): void {
    const found = this.items.findLast(
      (item) => item.kind === 'question' && item.question.request_id === requestId,
    )
    if (found?.kind === 'question') found.end = end
    if (this.question?.request_id === requestId) this.question = undefined
  }

  #withdraw(part: Withdrawal): void {
    for (const item of this.items)
      if (item.kind === 'surface')
        item.shown = item.shown.filter(({ messageId }) => messageId !== part.messageId)
    this.items = this.items.filter((item) => !isWithdrawn(item, part))
  }
}

/** All messages of a surface that stand. */
export function surfaceMessages({ shown }: Pick<SurfaceItem, 'shown'>): object[] {
  const list: object[] = []
  for (const { messages } of shown) addToSurface(list, messages)
  return list
}

type SurfaceItem = Extract<TurnItem, { kind: 'surface' }>

export type Withdrawal = Extract<TurnPart, { kind: 'withdrawn' }>

/** True if a withdrawal concerns the item. */
export function isWithdrawn(
  item: TurnItem,
  { messageId, calls, keepsReasoning }: Withdrawal,
): boolean {
  switch (item.kind) {
    case 'text':
      return item.messageId === messageId
    case 'surface':
      return item.shown.every((one) => one.messageId === messageId)
    case 'block':
    case 'source':
      return item.id.slice(0, item.id.lastIndexOf(':')) === messageId
    case 'file':
      return item.messageId === messageId
    case 'reasoning':
      return item.messageId === messageId && keepsReasoning !== true
    case 'call':
      return calls.includes(item.id)
    case 'question':
      return false
  }
}
