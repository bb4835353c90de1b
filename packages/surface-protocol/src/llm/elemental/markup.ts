import { decodeEntities } from '../../message/html-entities.ts'

/** An attribute; one without a value has null. */
export interface Attribute {
  readonly name: string
  readonly value: string | null
  readonly at: number
}

/** What stands at a position of a document. */
export type Markup =
  /** The text has to go on first. */
  | { readonly kind: 'more' }
  | { readonly kind: 'end'; readonly at: number; readonly end: number }
  | {
      readonly kind: 'start'
      readonly name: string
      readonly attributes: readonly Attribute[]
      readonly isEmpty: boolean
      readonly at: number
      readonly end: number
      readonly repairs: readonly string[]
    }
  | {
      readonly kind: 'close'
      readonly name: string
      readonly at: number
      readonly end: number
      readonly repairs: readonly string[]
    }
  | { readonly kind: 'error'; readonly at: number; readonly expected: string; readonly end: number }

const gap = /(?:\s+|<!--[^]*?-->|`{3,}[\w-]*[ \t]*$)+/my
const startName = /<([A-Za-z][\w-]*)/y
const closeTag = /<\/([A-Za-z][\w-]*)\s*>/y
const attributeName = /[^\s"'<>=/{}]+/y
const space = /\s*/y
const unquoted = /\{[^{}\n]{0,2000}\}|[^\s"'<>=`{}]+/y

/** Reads the tag at a position. Never throws; time is linear in what is read. */
export function readMarkup(
  text: string,
  { from, final, close }: { from: number; final: boolean; close: RegExp | null },
): Markup {
  const at = from + lengthAt(gap, text, from)
  const more = (expected: string): Markup =>
    final ? { kind: 'error', at, expected, end: text.length } : { kind: 'more' }
  if (at === text.length) return final ? { kind: 'end', at, end: at } : { kind: 'more' }
  if (text.startsWith('<!--', at)) return more(`'-->' expected`)
  if (text[at] !== '<') {
    const next = text.indexOf('<', at)
    if (next === -1 && !final) return { kind: 'more' }
    return { kind: 'error', at, expected: 'a tag expected', end: next === -1 ? text.length : next }
  }
  if (close !== null) {
    const closing = matchAt(close, text, at)
    if (closing !== null) return { kind: 'end', at, end: at + closing.length }
  }
  const closing = execAt(closeTag, text, at)
  if (closing !== null) {
    const [whole, name = ''] = closing
    return { kind: 'close', ...named(name), at, end: at + whole.length }
  }
  const opening = execAt(startName, text, at)
  if (opening === null || at + opening[0].length === text.length) {
    const isBegun = /^<(?:\/?[\w-]*\s*|!-{0,2})$/.test(text.slice(at, at + 200))
    if (isBegun && text.length - at < 200) return more('a tag expected')
    const next = text.indexOf('<', at + 1)
    return { kind: 'error', at, expected: 'a tag expected', end: next === -1 ? text.length : next }
  }
  const [whole, name = ''] = opening
  const read = readAttributes(text, at + whole.length)
  if (read.kind === 'more') return more(`'>' expected`)
  if (read.kind === 'error') {
    const lineAt = text.indexOf('\n', read.at)
    if (lineAt === -1 && !final) return { kind: 'more' }
    return { ...read, end: lineAt === -1 ? text.length : lineAt }
  }
  const { name: lower, repairs } = named(name)
  return { ...read, name: lower, at, repairs: [...repairs, ...read.repairs] }
}

type Attributes =
  | { readonly kind: 'more' }
  | { readonly kind: 'error'; readonly at: number; readonly expected: string }
  | {
      readonly kind: 'start'
      readonly attributes: readonly Attribute[]
      readonly isEmpty: boolean
      readonly end: number
      readonly repairs: readonly string[]
    }

function readAttributes(text: string, from: number): Attributes {
  const attributes: Attribute[] = []
  const repairs: string[] = []
  let at = from
  for (;;) {
    at += lengthAt(space, text, at)
    if (at >= text.length) return { kind: 'more' }
    if (text[at] === '>') return { kind: 'start', attributes, isEmpty: false, end: at + 1, repairs }
    if (text[at] === '/') {
      if (at + 1 === text.length) return { kind: 'more' }
      if (text[at + 1] !== '>') return { kind: 'error', at, expected: `'/>' expected` }
      return { kind: 'start', attributes, isEmpty: true, end: at + 2, repairs }
    }
    const name = matchAt(attributeName, text, at)
    if (name === null) return { kind: 'error', at, expected: 'an attribute expected' }
    const nameAt = at
    at += name.length
    at += lengthAt(space, text, at)
    if (at >= text.length) return { kind: 'more' }
    if (text[at] !== '=') {
      attributes.push({ name, value: null, at: nameAt })
      continue
    }
    at += 1
    at += lengthAt(space, text, at)
    const quote = text[at]
    if (quote === undefined) return { kind: 'more' }
    if (quote === '"' || quote === "'") {
      const end = text.indexOf(quote, at + 1)
      if (end === -1) return { kind: 'more' }
      attributes.push({ name, value: decodeEntities(text.slice(at + 1, end)), at: nameAt })
      at = end + 1
      continue
    }
    const value = matchAt(unquoted, text, at)
    if (value === null) return { kind: 'error', at, expected: 'a value in quotes expected' }
    at += value.length
    if (at >= text.length) return { kind: 'more' }
    repairs.push('unquoted attribute')
    attributes.push({ name, value: decodeEntities(value), at: nameAt })
  }
}

function named(name: string): { name: string; repairs: string[] } {
  const lower = name.toLowerCase()
  return { name: lower, repairs: lower === name ? [] : ['tag'] }
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  return execAt(pattern, text, at)?.[0] ?? null
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  return matchAt(pattern, text, at)?.length ?? 0
}
