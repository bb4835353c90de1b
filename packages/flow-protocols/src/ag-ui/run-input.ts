import { isObject } from '@x/wire'
import { asId, asList, asObject, asOptionalText, asText } from '../http/check.ts'
import { invalid } from '../http/door-error.ts'
import type { SentFile } from '../http/sent-file.ts'
import { userActionOf } from '../turns/decisions.ts'
import type { EarlierMessage } from '../turns/turn-host.ts'

const MAX_MESSAGES = 10_000
const MAX_STATE = 64 * 1024

/** An answer to an interrupt. */
export interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload: unknown
}

/** A warning of the stream. */
export interface RunWarning {
  readonly code: 'tools_ignored' | 'part_skipped' | 'unknown_interrupt'
  readonly message: string
}

/** What an AG-UI client sends. */
export interface RunInput {
  readonly threadId: string
  readonly runId: string
  /** The messages as they were sent. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  /** The last user message, if it is the last one. */
  readonly user: UserMessage | undefined
  readonly earlier: readonly EarlierMessage[]
  readonly resume: readonly ResumeEntry[]
  readonly instructions: string
  /** JSON text; undefined for none. */
  readonly state: string | undefined
  readonly action: Readonly<Record<string, unknown>> | undefined
  readonly wantsSteps: boolean
  /** The client knows the outcome `cancelled`. */
  readonly knowsCancelled: boolean
  readonly warnings: readonly RunWarning[]
}

export interface UserMessage {
  readonly id: string
  readonly text: string
  readonly files: readonly SentFile[]
}

/**
 * Checks what an AG-UI client sends; unknown members are ignored.
 * @throws DoorError `invalid_request` naming the member
 */
export function readRunInput(body: unknown): RunInput {
  const input = asObject(body, 'The body')
  const threadId = asId(input['threadId'], 'threadId')
  const runId = asId(input['runId'], 'runId')
  const warnings: RunWarning[] = []
  const messages = asList(input['messages'], 'messages', MAX_MESSAGES).map((message, n) =>
    asObject(message, `messages[${n}]`),
  )
  const read = messages.map((message, n) => readMessage(message, `messages[${n}]`, warnings))
  const user = read.at(-1)?.role === 'user' ? read.at(-1) : undefined
  const resume = asList(input['resume'] ?? [], 'resume', 1000).map(readResume)
  if (asList(input['tools'] ?? [], 'tools', 1000).length > 0)
    warnings.push({
      code: 'tools_ignored',
      message: 'The tools of the application are not offered to the flow.',
    })
  const forwarded = isObject(input['forwardedProps']) ? input['forwardedProps'] : {}
  const { a2uiAction: action, steps } = forwarded
  const version = asOptionalText(input['protocolVersion'], 'protocolVersion') ?? '0'
  return {
    threadId,
    runId,
    messages,
    user: user && { id: user.id, text: user.text, files: user.files },
    earlier: read
      .slice(0, -1)
      .flatMap(({ role, text }) =>
        (role === 'user' || role === 'assistant') && text !== '' ? [{ role, text }] : [],
      ),
    resume,
    instructions: [
      ...read.flatMap(({ role, text }) =>
        role === 'system' || role === 'developer' ? [text] : [],
      ),
      ...asList(input['context'] ?? [], 'context', 1000).map(readContext),
    ].join('\n'),
    state: readState(input['state']),
    action: isObject(action) ? userActionOf(action) : undefined,
    wantsSteps: steps === true,
    knowsCancelled: Number.parseFloat(version) >= 1,
    warnings,
  }
}

interface ReadMessage extends UserMessage {
  readonly role: string
}

function readMessage(
  { id, role, content }: Record<string, unknown>,
  name: string,
  warnings: RunWarning[],
): ReadMessage {
  const kind = asText(role, `${name}.role`)
  const message = { id: asId(id, `${name}.id`), role: kind, files: [] }
  if (kind !== 'user') return { ...message, text: typeof content === 'string' ? content : '' }
  if (typeof content === 'string') return { ...message, text: asText(content, `${name}.content`) }
  const texts: string[] = []
  const files: SentFile[] = []
  for (const [n, given] of asList(content, `${name}.content`, MAX_MESSAGES).entries()) {
    const param = `${name}.content[${n}]`
    const part = asObject(given, param)
    if (part['type'] === 'text') texts.push(asText(part['text'], `${param}.text`))
    else {
      const file = readFile(part, param)
      if (file !== undefined) files.push(file)
      else warnings.push({ code: 'part_skipped', message: `${param} cannot be used.` })
    }
  }
  return { ...message, text: texts.join('\n'), files }
}

const FILES: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document'])

/** Files with their content; others cannot be used. */
function readFile(part: Record<string, unknown>, param: string): SentFile | undefined {
  const { type, source } = part
  if (!FILES.has(type) || !isObject(source) || source['type'] !== 'data') return undefined
  const { value, mimeType } = source
  if (typeof value !== 'string' || typeof mimeType !== 'string') return undefined
  return { param, url: `data:${mimeType};base64,${value}`, mediaType: mimeType }
}

function readResume(value: unknown, n: number): ResumeEntry {
  const name = `resume[${n}]`
  const { interruptId, status, payload = null } = asObject(value, name)
  if (status !== 'resolved' && status !== 'cancelled')
    throw invalid(`${name}.status must be resolved or cancelled`)
  return { interruptId: asText(interruptId, `${name}.interruptId`), status, payload }
}

function readContext(value: unknown, n: number): string {
  const { description, value: text } = asObject(value, `context[${n}]`)
  return `${asText(description, `context[${n}].description`)}: ${asText(text, `context[${n}].value`)}`
}

function readState(state: unknown): string | undefined {
  if (state === undefined || state === null) return undefined
  if (isObject(state) && Object.keys(state).length === 0) return undefined
  const text = JSON.stringify(state)
  if (new TextEncoder().encode(text).length > MAX_STATE)
    throw invalid('state must have at most 64 KiB of JSON')
  return text
}
