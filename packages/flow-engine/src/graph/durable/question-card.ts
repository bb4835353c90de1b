import { isObject, ownObject } from '@x/wire'
import type { QuestionNotice } from '../context/run-host.ts'
import { createMessage, type Message } from '../values/message.ts'

/** The state of a question. */
export interface CardState {
  /** The `action_id` of the answer, `submit` for an answer without one, or null while unanswered. */
  readonly submittedAction: string | null
  /** True if cancelled or expired. */
  readonly superseded: boolean
}

export const OPEN_CARD: CardState = { submittedAction: null, superseded: false }

/** The message that displays a question in a conversation. */
export function questionCard({ event, ...place }: QuestionNotice, state: CardState): Message {
  const { request_id, job_id, kind, prompt, options, allowed_decisions, schema } = event
  const entry = {
    type: 'human_input',
    request_id,
    job_id,
    kind,
    prompt,
    options,
    fields: (isObject(schema) ? ownObject(schema, 'properties') : undefined) ?? {},
    allowed_decisions,
    submitted_action: state.submittedAction,
    superseded: state.superseded,
  }
  return createMessage({
    id: place.cardId,
    text: '',
    sender: 'Machine',
    senderName: 'AI',
    sessionId: place.sessionId,
    timestamp: place.askedAt,
    contentBlocks: [
      { title: 'Human input required', contents: [entry], allow_markdown: true, media_url: null },
    ],
  })
}

/** The chosen action of an answer, as shown on its card. */
export function submittedAction(answer: unknown): string {
  const chosen = isObject(answer) ? answer['action_id'] : undefined
  return typeof chosen === 'string' ? chosen : 'submit'
}
