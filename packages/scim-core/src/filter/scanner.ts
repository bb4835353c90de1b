import { InvalidFilterError, shown } from '../errors.ts'

const SPACE = 32
const QUOTE = 34
const BACKSLASH = 92

/** 1 for letters, digits and `$ - . : _`, and for `% + ~`, which only URNs hold. */
const NAME_CODES = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$-.:_%+~') {
  NAME_CODES[character.charCodeAt(0)] = 1
}

/** A place in a text, moved forward as the text is read. */
export interface Scanner {
  readonly text: string
  position: number
}

/** Moves over white space; whether there was any. */
export function skipSpace(scanner: Scanner): boolean {
  const start = scanner.position
  while (scanner.text.charCodeAt(scanner.position) === SPACE) scanner.position += 1
  return scanner.position > start
}

/** Takes one character when it comes next. */
export function take(scanner: Scanner, character: string): boolean {
  if (scanner.text.charAt(scanner.position) !== character) return false
  scanner.position += 1
  return true
}

/** Takes the characters of attribute names and URNs that come next; may be empty. */
export function takeName(scanner: Scanner): string {
  const { text } = scanner
  const start = scanner.position
  let end = start
  while (NAME_CODES[text.charCodeAt(end)] === 1) end += 1
  scanner.position = end
  return text.slice(start, end)
}

/** Takes the JSON string that starts here. */
export function takeString(scanner: Scanner): string {
  const { text } = scanner
  const start = scanner.position
  let end = start + 1
  let plain = true
  for (;;) {
    const code = text.charCodeAt(end)
    if (Number.isNaN(code)) throw new InvalidFilterError('A string is not closed.', start)
    if (code === QUOTE) break
    if (code < SPACE) plain = false
    if (code === BACKSLASH) {
      plain = false
      end += 1
    }
    end += 1
  }
  scanner.position = end + 1
  return plain ? text.slice(start + 1, end) : unescape(text.slice(start, end + 1), start)
}

/** Takes the characters up to the next space, bracket or quote. */
export function takeWord(scanner: Scanner): string {
  const { text } = scanner
  let end = scanner.position
  while (isWordCode(text.charCodeAt(end))) end += 1
  const word = text.slice(scanner.position, end)
  scanner.position = end
  return word
}

/** The error for a text that does not go on as it should. */
export function unexpected(scanner: Scanner, wanted: string): InvalidFilterError {
  const rest = scanner.text.slice(scanner.position, scanner.position + 20)
  const found = rest === '' ? 'the end' : `"${shown(rest)}"`
  return new InvalidFilterError(
    `Expected ${wanted} at position ${scanner.position}, found ${found}.`,
    scanner.position,
  )
}

function unescape(json: string, position: number): string {
  try {
    return String(JSON.parse(json))
  } catch {
    throw new InvalidFilterError(
      `The string at position ${position} is not a JSON string.`,
      position,
    )
  }
}

function isWordCode(code: number): boolean {
  return (
    code > SPACE &&
    code !== QUOTE &&
    code !== 40 &&
    code !== 41 &&
    code !== 91 &&
    code !== 93 &&
    code !== 127
  )
}
