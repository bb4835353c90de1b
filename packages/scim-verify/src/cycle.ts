/** `required`: an RFC's MUST, or the provider cannot work; a failing `recommended` check is a warning. */
export type CheckLevel = 'required' | 'recommended' | 'informative'

/** What ServiceProviderConfig may lack. */
export type Feature = 'filter' | 'sort' | 'patch' | 'etag' | 'bulk' | 'cursor'

/** What an answer must be. Texts may hold `{{name}}`, as everywhere in a step. */
export interface Matcher {
  /** The body must be equal, at every depth. */
  readonly equals?: unknown
  /** The body must contain it at every depth; lists hold each given element, in any order. */
  readonly contains?: unknown
  /** The body must not contain it anywhere in the place of `contains`. */
  readonly lacks?: unknown
  /** Names that the body must not have. */
  readonly absent?: readonly string[]
  /** Any JSON object. */
  readonly any?: boolean
  /** Numbers at JSON pointers, each with its least and greatest value. */
  readonly between?: Readonly<Record<string, readonly [least: number, greatest: number]>>
  /** Attributes that the schemas of the body must list, ignoring case: `name.givenName`, `URN:department`. */
  readonly attributes?: readonly string[]
}

export interface Expectation {
  readonly status: readonly number[]
  /** Parts of headers, ignoring case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Matcher
}

/** One check: a request, the expected answer, and what is looked at afterwards. */
export interface CycleStep {
  readonly id: string
  readonly level: CheckLevel
  readonly title: string
  readonly request: {
    readonly method: string
    /** Below the base URL, with query. */
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly expect: Expectation
  /** Values kept for later steps, by JSON pointer into the answer. */
  readonly save?: Readonly<Record<string, string>>
  /** Skipped if ServiceProviderConfig does not support it. */
  readonly needs?: Feature
  /** A GET after the request, whose answer must be as expected too. */
  readonly after?: { readonly path: string; readonly expect: Expectation }
  /** Sent to the token URL instead, with this credential of a client; skipped without it. */
  readonly credential?: 'secret' | 'assertion'
  /** Only listed: why no request can show it. */
  readonly manual?: string
  /** Skipped unless a GET of this path has one of these statuses. */
  readonly onlyIf?: { readonly path: string; readonly status: readonly number[] }
}

/** A recording of what a client sends, with the right answers. */
export interface Cycle {
  readonly name: string
  /** Where the requests come from. */
  readonly source: string
  readonly steps: readonly CycleStep[]
}

const LEVELS: readonly unknown[] = ['required', 'recommended', 'informative']

/** @throws TypeError naming the part of a cycle file that is wrong */
export function readCycle(value: unknown): Cycle {
  const { name, source = '', steps } = objectAt(value, 'the file')
  if (typeof name !== 'string' || name === '') throw new TypeError('name must be a string')
  if (typeof source !== 'string') throw new TypeError('source must be a string')
  if (!Array.isArray(steps)) throw new TypeError('steps must be a list')
  steps.forEach((step: unknown, index) => {
    const place = `steps[${index}]`
    const { id, level, title, request, expect } = objectAt(step, place)
    if (typeof id !== 'string' || id === '') throw new TypeError(`${place}.id must be a string`)
    if (!LEVELS.includes(level)) throw new TypeError(`${place}.level must be ${LEVELS.join(', ')}`)
    if (typeof title !== 'string') throw new TypeError(`${place}.title must be a string`)
    const { method, path } = objectAt(request, `${place}.request`)
    if (typeof method !== 'string') throw new TypeError(`${place}.request.method must be a string`)
    if (typeof path !== 'string' || !path.startsWith('/'))
      throw new TypeError(`${place}.request.path must begin with a slash`)
    const { status } = objectAt(expect, `${place}.expect`)
    if (!Array.isArray(status) || !status.every(Number.isInteger))
      throw new TypeError(`${place}.expect.status must be a list of integers`)
  })
  return value as Cycle
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new TypeError(`${place} must be an object`)
}
