import { encodeBase64 } from '@x/wire'
import { isMessage } from '../values/message.ts'

const MASK = '*****'
const SHORTEST = 4

/** The secret values of one run and the functions that mask them. */
export interface Secrets {
  /** Values shorter than 4 characters are not masked, because they would match ordinary text. */
  add(value: unknown): void
  /** Replaces every secret in a string. */
  readonly mask: (text: string) => string
  /** Masks every string in a JSON value; returns the same object if there is nothing to mask. */
  readonly maskJson: <T>(value: T) => T
  /** True if a value contains a secret at any depth. */
  readonly occursIn: (value: unknown) => boolean
  /** Masks a chunked text; holds back a suffix that may be the start of a secret. */
  readonly stream: () => StreamMask
}

export interface StreamMask {
  push(chunk: string): string
  /** Returns the text held back so far. */
  end(): string
}

export function createSecrets(): Secrets {
  const values = new Set<string>()
  let longestFirst: readonly string[] = []

  const mask = (text: string): string => {
    let masked = text
    for (const value of longestFirst) {
      if (masked.includes(value)) masked = masked.replaceAll(value, MASK)
    }
    return masked
  }

  return {
    add(value) {
      if (typeof value !== 'string' || value.length < SHORTEST || values.has(value)) return
      for (const form of formsOf(value)) values.add(form)
      longestFirst = [...values].toSorted((a, b) => b.length - a.length)
    },
    mask,
    maskJson: (value) => (values.size === 0 ? value : (maskDeep(value, mask) as typeof value)),
    occursIn: (value) => values.size > 0 && holds(value, (text) => mask(text) !== text),
    stream: () => streamMask(() => longestFirst, mask),
  }
}

/** The encodings of a secret: JSON, URL, form data and base64. */
function formsOf(secret: string): readonly string[] {
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    form,
    form.replaceAll('+', '%20'),
    inAddress(secret),
    encodeBase64(new TextEncoder().encode(secret)).replaceAll('=', ''),
  ]
}

/** Leaves more characters unescaped than form encoding does. A lone surrogate cannot be encoded. */
function inAddress(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    return secret
  }
}

function streamMask(secrets: () => readonly string[], mask: (text: string) => string): StreamMask {
  let held = ''
  return {
    push(chunk) {
      const all = secrets()
      if (all.length === 0 && held === '') return chunk
      const text = mask(held + chunk)
      const keep = openEnd(text, all)
      held = keep === 0 ? '' : text.slice(-keep)
      return keep === 0 ? text : text.slice(0, -keep)
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** Length of the longest suffix of the text that is a prefix of a secret. */
function openEnd(text: string, secrets: readonly string[]): number {
  const longest = Math.min(text.length, (secrets[0]?.length ?? 0) - 1)
  for (let length = longest; length > 0; length -= 1) {
    const end = text.slice(-length)
    if (secrets.some((secret) => secret.length > length && secret.startsWith(end))) return length
  }
  return 0
}

/** Walks plain JSON only; event data contains nothing else. */
function maskDeep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item: unknown) => maskDeep(item, mask))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mask(key), maskDeep(item, mask)]),
  )
}

function holds(value: unknown, found: (text: string) => boolean): boolean {
  const seen = new Set<unknown>()
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const item = stack.pop()
    if (typeof item === 'string' && found(item)) return true
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    if (isMessage(item)) stack.push(item.text, item.data, item.contentBlocks, item.properties)
    else for (const part of Object.values(item)) stack.push(part)
  }
  return false
}
