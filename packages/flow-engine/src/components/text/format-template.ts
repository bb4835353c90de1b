import { createWorkBudget, finishSoon, type CooperativeWork } from '@x/wire'

/** A part of a template: literal text or a placeholder. */
export interface TemplatePart {
  readonly text: string
  readonly name?: string
  /** The name and the path after it, as written. */
  readonly target?: string
  /** `[key]` and `.key` segments after the name. */
  readonly path: readonly string[]
  /** The character after `!`. */
  readonly conversion?: string
  /** The format spec after `:`. */
  readonly spec: string
}

const MAX_LENGTH = 1_000_000

/**
 * Parses a template with `{name}` placeholders; `{{` and `}}` are literal braces.
 * @throws SyntaxError for unbalanced braces, with the messages of `validate/prompt`
 */
export function parseTemplate(template: string): TemplatePart[] {
  if (template.length > MAX_LENGTH) throw new RangeError('The template is too long')
  const parts: TemplatePart[] = []
  let text = ''
  let at = 0
  while (at < template.length) {
    const char = template.charAt(at)
    if ((char === '{' || char === '}') && template.charAt(at + 1) === char) {
      text += char
      at += 2
    } else if (char === '}') {
      throw new SyntaxError("Single '}' encountered in format string")
    } else if (char === '{') {
      const end = closingBrace(template, at + 1)
      parts.push(readPlace(text, template.slice(at + 1, end)))
      text = ''
      at = end + 1
    } else {
      text += char
      at += 1
    }
  }
  if (text !== '') parts.push({ text, path: [], spec: '' })
  return parts
}

const MAX_PLACES = 2_000_000

/** Maximum number of characters of a filled template, and of all rows that one fills. */
const MAX_FILLED = 32 * 1024 * 1024
/** Characters that cost as much as a placeholder. */
const CHARACTERS = 100

/** Counts generated characters, including those truncated afterwards. */
export type WorkCounter = (characters: number) => void

/** Returns the text of a placeholder. */
export type FillPlace<R> = (part: TemplatePart, row: R, spend: WorkCounter) => string

/**
 * Fills a template for each row, yielding to the event loop: a short template can repeat a long value many times,
 * and many rows a long template.
 * @param separator counted for each row
 * @throws RangeError over 2,000,000 placeholders or 33,554,432 characters in all rows
 */
export function fillTemplate<R>(
  parts: readonly TemplatePart[],
  rows: readonly R[],
  fill: FillPlace<R>,
  separator = '',
): string[] | Promise<string[]> {
  return finishSoon(fillRows(parts, rows, { fill, separator }))
}

/** Fills a template once. @throws as fillTemplate */
export function fillOnce(
  parts: readonly TemplatePart[],
  fill: (part: TemplatePart, spend: WorkCounter) => string,
): string | Promise<string> {
  const filled = fillTemplate(parts, [null], (part, _row, spend) => fill(part, spend))
  return filled instanceof Promise ? filled.then(([text = '']) => text) : (filled[0] ?? '')
}

function* fillRows<R>(
  parts: readonly TemplatePart[],
  rows: readonly R[],
  { fill, separator }: { readonly fill: FillPlace<R>; readonly separator: string },
): CooperativeWork<string[]> {
  if (rows.length * parts.length > MAX_PLACES) {
    throw new RangeError(
      `The template has too many placeholders for ${rows.length} rows (limit ${MAX_PLACES} in all)`,
    )
  }
  let spent = 0
  const spend: WorkCounter = (characters) => {
    spent += characters
    if (spent <= MAX_FILLED) return
    throw new RangeError(`The filled template is too long (limit ${MAX_FILLED} characters)`)
  }
  const step = createWorkBudget()
  const texts: string[] = []
  for (const row of rows) {
    const pieces: string[] = []
    for (const part of parts) {
      const before = spent
      const piece = part.text + fill(part, row, spend)
      spend(piece.length)
      pieces.push(piece)
      if (step(1 + (spent - before) / CHARACTERS)) yield
    }
    spend(separator.length)
    texts.push(pieces.join(''))
  }
  return texts
}

/**
 * Returns the placeholders of a template as written, without conversion and format spec, without duplicates,
 * in order.
 */
export function templateNames(template: string): string[] {
  const names = parseTemplate(template).map(({ target }) => target)
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[]
}

function closingBrace(template: string, start: number): number {
  if (start >= template.length) {
    throw new SyntaxError("Single '{' encountered in format string")
  }
  let depth = 1
  for (let at = start; at < template.length; at += 1) {
    const char = template.charAt(at)
    if (char === '{') depth += 1
    if (char === '}') depth -= 1
    if (depth === 0) return at
  }
  throw new SyntaxError("expected '}' before end of string")
}

function readPlace(text: string, inside: string): TemplatePart {
  const colon = indexOutsideBrackets(inside, ':')
  const spec = colon < 0 ? '' : inside.slice(colon + 1)
  const head = colon < 0 ? inside : inside.slice(0, colon)
  const mark = indexOutsideBrackets(head, '!')
  const target = mark < 0 ? head : head.slice(0, mark)
  if (mark >= 0 && !/^.$/su.test(head.slice(mark + 1))) {
    throw new SyntaxError('Expected one conversion character after "!"')
  }
  if (target.lastIndexOf('[') > target.lastIndexOf(']'))
    throw new SyntaxError("expected '}' before end of string")
  const first = target.search(/[.[]/)
  const name = first < 0 ? target : target.slice(0, first)
  const path = first < 0 ? [] : readPath(target.slice(first))
  return {
    text,
    name,
    target,
    path,
    spec,
    ...(mark < 0 ? {} : { conversion: head.slice(mark + 1) }),
  }
}

function indexOutsideBrackets(text: string, wanted: string): number {
  let inside = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '[') inside = true
    if (char === ']') inside = false
    if (char === wanted && !inside) return at
  }
  return -1
}

function readPath(text: string): string[] {
  return [...text.matchAll(/\[([^\]]*)\]|\.([^.[]*)/g)].map(
    ([, key, attribute]) => key ?? `.${attribute ?? ''}`,
  )
}
