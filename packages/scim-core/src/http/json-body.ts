import { exceedsDepth, isObject, readText } from '@x/wire'
import { invalidSyntax, ScimError, quoteValue } from '../base/errors.ts'

const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'application/scim+json',
  'application/json',
  // What `fetch` sends with a string as the body.
  'text/plain',
])

/**
 * Parses the JSON object of a request body.
 * @throws ScimError unsupported_media_type, invalid_syntax; BodyTooLargeError
 */
export async function readJsonBody(
  request: Request,
  { bytes, depth }: { readonly bytes: number; readonly depth: number },
): Promise<Readonly<Record<string, unknown>>> {
  const header = request.headers.get('content-type')
  const mediaType = header === null ? '' : (header.split(';')[0] ?? '').trim().toLowerCase()
  if (mediaType !== '' && !MEDIA_TYPES.has(mediaType)) {
    throw new ScimError(
      'unsupported_media_type',
      `The media type ${quoteValue(mediaType)} is not application/scim+json.`,
    )
  }
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity')
    throw new ScimError(
      'unsupported_media_type',
      `The content coding ${quoteValue(coding)} is not supported; send the JSON itself.`,
    )
  return parseJsonObject(await readUtf8(request, bytes), depth)
}

async function readUtf8(request: Request, limit: number): Promise<string> {
  try {
    return await readText(request, limit, { fatal: true })
  } catch (error) {
    if (error instanceof TypeError) throw invalidSyntax('The body is not UTF-8.')
    throw error
  }
}

/** @throws ScimError invalid_syntax */
export function parseJsonObject(text: string, depth: number): Readonly<Record<string, unknown>> {
  // Checked before parsing, because a million nested values would block the event loop.
  if (exceedsDepth(text, depth))
    throw invalidSyntax(`The body is nested deeper than ${depth} levels.`)
  const value = parse(text)
  assertDistinctKeys(text)
  if (!isObject(value)) throw invalidSyntax('The body must be a JSON object.')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidSyntax('The body is not JSON.')
  }
}

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const COLON = 58

/**
 * Walks well-formed JSON once: no two keys of an object may be equal ignoring case, since `JSON.parse`
 * would have silently dropped duplicates.
 */
function assertDistinctKeys(text: string): void {
  const open: (Set<string> | null)[] = []
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        open.push(text.charCodeAt(i) === OPEN_BRACE ? new Set() : null)
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop()
        break
      case QUOTE: {
        const end = endOfString(text, i)
        const keys = open.at(-1)
        if (keys && isKey(text, end)) addKey(keys, text.slice(i, end + 1))
        i = end
        break
      }
    }
  }
}

function addKey(keys: Set<string>, literal: string): void {
  const name = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
  const key = name.toLowerCase()
  if (keys.has(key))
    throw invalidSyntax(`The key ${quoteValue(name)} is given twice in one object.`)
  keys.add(key)
}

function endOfString(text: string, start: number): number {
  let end = start + 1
  while (text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1
  return end
}

/** Returns whether a colon follows the string that ends here. */
function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= 32) next += 1
  return text.charCodeAt(next) === COLON
}
