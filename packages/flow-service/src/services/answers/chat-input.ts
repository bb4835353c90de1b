import { isObject } from '@x/wire'
import type { EarlierTurn } from '../runs/earlier-turns.ts'

/** An image or file of a message, not read yet. */
export interface InputFile {
  readonly kind: 'image' | 'file'
  /** Path in the body, for error messages. */
  readonly param: string
  /** A `data:` URL. */
  readonly url?: string | undefined
  readonly filename?: string | undefined
  /** Id of one of the user's files. */
  readonly fileId?: string | undefined
}

/** A client's input, parsed from a string or a list of items. */
export interface ChatInput {
  /** Images and files of the last user message. */
  readonly files: readonly InputFile[]
  /** The last user message. */
  readonly text: string
  readonly earlier: readonly EarlierTurn[]
  /** System and developer messages, separated by blank lines; "" if there are none. */
  readonly instructions: string
}

/** Describes why an input cannot be read, and where. */
export interface ChatInputProblem {
  /** Path in the body, such as `input[0].content[1].type`. */
  readonly param: string
  readonly code: 'invalid_type' | 'invalid_value' | 'unsupported_parameter'
  readonly message: string
}

/** Thrown for input that cannot be read. */
export class ChatInputError extends Error {
  readonly problem: ChatInputProblem

  constructor(problem: ChatInputProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Items that clients send back from earlier answers; they are ignored. */
const PASSED_OVER: ReadonlySet<unknown> = new Set([
  'function_call',
  'function_call_output',
  'reasoning',
  'mcp_call',
])
const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'developer']
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text'])
const FILE_PARTS: ReadonlySet<unknown> = new Set(['input_image', 'input_file', 'image_url', 'file'])

/**
 * Parses the `input` of a response: a string or a list of items.
 * @throws ChatInputError
 */
export function readResponseInput(
  input: unknown,
  options: { readonly takesFiles?: boolean } = {},
): ChatInput {
  if (typeof input === 'string')
    return { text: checked(input, 'input'), earlier: [], instructions: '', files: [] }
  if (!Array.isArray(input)) throw wrongType('input', 'a text or a list of items')
  checkCount(input, 'input')
  const messages = input.flatMap((item: unknown, index) => {
    const param = `input[${index}]`
    if (!isObject(item)) throw wrongType(param, 'an object')
    const { type = 'message' } = item
    if (PASSED_OVER.has(type)) return []
    if (type !== 'message')
      throw unknownValue(`${param}.type`, 'The only items that a flow takes are messages.')
    return [readMessage(item, param, options)]
  })
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) throw unknownValue('input', 'The input needs a message of the user.')
  return joined(messages, last)
}

/**
 * Parses the `messages` of a chat completion; the last one must be the user's.
 * @throws ChatInputError
 */
export function readChatMessages(given: unknown): ChatInput {
  if (!Array.isArray(given)) throw wrongType('messages', 'a list of messages')
  checkCount(given, 'messages')
  const messages = given.flatMap((item: unknown, index) => {
    const param = `messages[${index}]`
    if (!isObject(item)) throw wrongType(param, 'an object')
    const { role, content } = item
    if (role === 'tool' || role === 'function') return []
    // An assistant message that only calls tools has no text.
    if (role === 'assistant' && (content === null || content === undefined)) return []
    return [readMessage(item, param, { takesFiles: true })]
  })
  const last = given.at(-1) as unknown
  if (!isObject(last) || last['role'] !== 'user')
    throw unknownValue('messages', 'The last message must be of the role user.')
  return joined(messages, messages.length - 1)
}

/** Maximum number of messages per request: each becomes a record in the run's history. */
const MAX_MESSAGES = 10_000

function checkCount(messages: readonly unknown[], param: string): void {
  if (messages.length <= MAX_MESSAGES) return
  throw unknownValue(param, `A request has at most ${MAX_MESSAGES} messages.`)
}

interface ReadMessage {
  readonly role: 'user' | 'assistant' | 'instructions'
  readonly text: string
  readonly files: readonly InputFile[]
}

function joined(messages: readonly ReadMessage[], last: number): ChatInput {
  const earlier: EarlierTurn[] = []
  const instructions: string[] = []
  for (const [index, { role, text }] of messages.entries()) {
    if (role === 'instructions') instructions.push(text)
    else if (index < last) earlier.push({ role, text })
  }
  return {
    text: messages[last]?.text ?? '',
    files: messages[last]?.files ?? [],
    earlier,
    instructions: instructions.join('\n\n'),
  }
}

function readMessage(
  { role, content }: Record<string, unknown>,
  param: string,
  { takesFiles = false }: { readonly takesFiles?: boolean },
): ReadMessage {
  if (!ROLES.includes(role))
    throw unknownValue(`${param}.role`, 'A role is user, assistant, system or developer.')
  const parts = readContent(content, `${param}.content`)
  const [file] = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]))
  if (file !== undefined && !takesFiles) {
    throw new ChatInputError({
      param: file.param,
      code: 'unsupported_parameter',
      message:
        'Images and files are not taken here. Upload them with POST /api/v2/files and name them in the flow.',
    })
  }
  return {
    role: role === 'user' || role === 'assistant' ? role : 'instructions',
    text: parts.filter((part) => typeof part === 'string').join(''),
    files: parts.filter((part) => typeof part !== 'string'),
  }
}

function readContent(content: unknown, param: string): (string | InputFile)[] {
  if (typeof content === 'string') return [checked(content, param)]
  if (!Array.isArray(content)) throw wrongType(param, 'a text or a list of parts')
  return content.map((part: unknown, index) => readPart(part, `${param}[${index}]`))
}

function readPart(part: unknown, param: string): string | InputFile {
  if (!isObject(part)) throw wrongType(param, 'an object')
  const { type, text, refusal } = part
  if (TEXT_PARTS.has(type)) return textOf(text, `${param}.text`)
  if (type === 'refusal') return textOf(refusal, `${param}.refusal`)
  if (FILE_PARTS.has(type)) return readFilePart(part, param)
  throw unknownValue(`${param}.type`, 'A part is a text, an image or a file.')
}

/** Handles both APIs: `image_url` and `file` of chat completions are nested. */
function readFilePart(part: Record<string, unknown>, param: string): InputFile {
  const { type } = part
  const isImage = type === 'input_image' || type === 'image_url'
  const nested = isImage ? part['image_url'] : part['file']
  const held = isObject(nested) ? nested : part
  const url = isImage
    ? isObject(nested)
      ? nested['url']
      : nested
    : (held['file_data'] ?? held['file_url'])
  const optional = (value: unknown, name: string): string | undefined =>
    value === undefined || value === null ? undefined : textOf(value, `${param}.${name}`)
  return {
    kind: isImage ? 'image' : 'file',
    param,
    url: optional(url, isImage ? 'image_url' : 'file_data'),
    filename: optional(held['filename'], 'filename'),
    fileId: optional(held['file_id'], 'file_id'),
  }
}

function textOf(value: unknown, param: string): string {
  if (typeof value !== 'string') throw wrongType(param, 'a text')
  return checked(value, param)
}

/** A lone surrogate cannot be encoded as UTF-8 or stored. */
function checked(text: string, param: string): string {
  if (/\p{Surrogate}/u.test(text)) throw unknownValue(param, 'The text is not valid Unicode.')
  return text
}

function wrongType(param: string, wanted: string): ChatInputError {
  return new ChatInputError({
    param,
    code: 'invalid_type',
    message: `Invalid type for '${param}': expected ${wanted}.`,
  })
}

function unknownValue(param: string, message: string): ChatInputError {
  return new ChatInputError({
    param,
    code: 'invalid_value',
    message: `Invalid value for '${param}'. ${message}`,
  })
}
