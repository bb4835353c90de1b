import { append, isObject } from '@x/wire'
import { asId, asList, asObject, asOptionalText, asText } from '../http/check.ts'
import { invalid } from '../http/door-error.ts'
import type { SentFile } from '../http/sent-file.ts'
import { userActionOf } from '../turns/decisions.ts'
import type { EarlierMessage } from '../turns/turn-host.ts'

const MAX_MESSAGES = 10_000
const MAX_PARTS = 10_000

/** A decision of the user about a question. */
export interface SentAnswer {
  readonly requestId: string
  readonly decision: unknown
}

/** The user's message. */
export interface SentMessage {
  readonly id: string
  readonly text: string
  readonly files: readonly SentFile[]
  /** The parts that the history shows again, without files. */
  readonly parts: readonly Readonly<Record<string, unknown>>[]
  /** What the user did on a surface, instead of the text. */
  readonly action?: Readonly<Record<string, unknown>>
}

/** What `useChat` sends. */
export interface ChatRequest {
  readonly chatId: string
  /** The last user message; undefined if the request has none. */
  readonly message: SentMessage | undefined
  readonly earlier: readonly EarlierMessage[]
  readonly instructions: string
  /** Answers in the last assistant message and in `answer`, newest first. */
  readonly answers: readonly SentAnswer[]
  /** True if the last message is the assistant's, so that only an answer can be meant. */
  readonly continues: boolean
  /** The user message that is sent again or was edited. */
  readonly replaces: string | undefined
}

/** @throws DoorError `invalid_request` naming the member */
export function readChatRequest(body: unknown): ChatRequest {
  const request = asObject(body, 'The body')
  const chatId = asId(request['id'], 'id')
  const trigger = request['trigger'] ?? 'submit-message'
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    throw invalid('trigger must be submit-message or regenerate-message')
  const messageId = asOptionalText(request['messageId'], 'messageId')
  const messages = messagesOf(request).map(([message, name]) => readMessage(message, name))
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const message = messages[last]
  const continues = messages.at(-1)?.role === 'assistant' && trigger === 'submit-message'
  const given = request['answer']
  const explicit = given === undefined || given === null ? [] : [readAnswer(given)]
  const again = trigger === 'regenerate-message' || messageId === message?.id
  const others = messages.slice(0, Math.max(last, 0))
  return {
    chatId,
    message: message && toSent(message),
    earlier: others.flatMap(({ role, text }) =>
      role === 'system' || text === '' ? [] : [{ role, text }],
    ),
    instructions: messages
      .flatMap(({ role, text }) => (role === 'system' ? [text] : []))
      .join('\n\n'),
    answers: [...explicit, ...(continues ? (messages.at(-1)?.answers ?? []) : [])],
    continues: continues || explicit.length > 0,
    replaces: again && !continues && explicit.length === 0 ? message?.id : undefined,
  }
}

/** The messages with their names; hosts may send the last one alone. */
function messagesOf(request: Record<string, unknown>): (readonly [unknown, string])[] {
  const { messages, message } = request
  if (messages === undefined && message !== undefined) return [[message, 'message']]
  return asList(messages, 'messages', MAX_MESSAGES).map((one, n) => [one, `messages[${n}]`])
}

interface ReadMessage {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly text: string
  readonly files: readonly SentFile[]
  readonly parts: readonly Readonly<Record<string, unknown>>[]
  readonly answers: readonly SentAnswer[]
  readonly action: Readonly<Record<string, unknown>> | undefined
}

function toSent({ id, text, files, parts, action }: ReadMessage): SentMessage {
  return { id, text, files, parts, ...(action === undefined ? {} : { action }) }
}

function readMessage(value: unknown, name: string): ReadMessage {
  const { id, role, parts } = asObject(value, name)
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw invalid(`${name}.role must be user, assistant or system`)
  const texts: string[] = []
  const files: SentFile[] = []
  const kept: Readonly<Record<string, unknown>>[] = []
  const answers: SentAnswer[] = []
  let action: ReadMessage['action']
  for (const [n, given] of asList(parts, `${name}.parts`, MAX_PARTS).entries()) {
    const param = `${name}.parts[${n}]`
    const part = asObject(given, param)
    const type = asText(part['type'], `${param}.type`)
    if (type === 'text') {
      const text = asText(part['text'], `${param}.text`)
      texts.push(text)
      kept.push({ type, text })
    } else if (type === 'data-a2ui-action' && role === 'user') {
      action = userActionOf(asObject(part['data'], `${param}.data`))
      kept.push({ type, data: part['data'] })
    } else if (type === 'file' && role === 'user') files.push(readFile(part, param))
    else if (role === 'assistant') append(answers, answersIn(part))
  }
  const text = texts.join('\n')
  return { id: messageIdOf(id, name, role), role, text, files, parts: kept, answers, action }
}

function messageIdOf(id: unknown, name: string, role: string): string {
  return role === 'user' ? asId(id, `${name}.id`) : (asOptionalText(id, `${name}.id`) ?? '')
}

function readFile(part: Record<string, unknown>, param: string): SentFile {
  const filename = asOptionalText(part['filename'], `${param}.filename`)
  return {
    param,
    url: asText(part['url'], `${param}.url`),
    mediaType: asText(part['mediaType'], `${param}.mediaType`),
    ...(filename === undefined ? {} : { filename }),
  }
}

function readAnswer(value: unknown): SentAnswer {
  const { requestId, decision = null } = asObject(value, 'answer')
  return { requestId: asText(requestId, 'answer.requestId'), decision }
}

/** What the page has answered in a part of the assistant's message. */
function answersIn(part: Record<string, unknown>): SentAnswer[] {
  const { type, toolCallId, state, output, approval } = part
  if (type === 'tool-ask_person' && state === 'output-available' && typeof toolCallId === 'string')
    return [{ requestId: toolCallId, decision: output ?? null }]
  if (!isObject(approval) || typeof approval['id'] !== 'string') return []
  const { id, approved, reason } = approval
  // The page gave the result of the call itself.
  if (state === 'output-available' && approved === undefined) {
    const message = typeof output === 'string' ? output : JSON.stringify(output ?? null)
    return [{ requestId: id, decision: { action_id: 'respond', values: { message } } }]
  }
  if (typeof approved !== 'boolean') return []
  if (approved) return [{ requestId: id, decision: { action_id: 'approve' } }]
  const values = typeof reason === 'string' ? { message: reason } : undefined
  return [{ requestId: id, decision: { action_id: 'reject', ...(values && { values }) } }]
}
