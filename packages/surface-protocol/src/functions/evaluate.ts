import { defaultLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { isSurfaceError } from '../diagnostics/errors.ts'
import { readDataPath, type DataPath } from '../data/data-path.ts'
import { toJson, valueAt, type DataMap } from '../data/data-value.ts'
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import { basicFunctions, requireArguments, type FunctionContext } from './basic-functions.ts'
import { EvaluationError, functionFailed } from './evaluation-error.ts'
import { parseExpression, type ExpressionPart } from './expression.ts'
import { isTrue, toText } from './truth.ts'

/** A function of the host, by name (SN-34). Must not return a promise. */
export type HostFunction = (
  args: JsonObject,
  context: { readonly surfaceId?: string; readonly scope: string; readonly signal?: AbortSignal },
) => unknown

/** What a store or a single call evaluates with. */
export interface EvaluatorOptions {
  readonly functions?: Readonly<Record<string, HostFunction>> | undefined
  /** Default: en-US. */
  readonly locale?: string | undefined
  /** Default: UTC. */
  readonly timeZone?: string | undefined
  readonly limits?: Readonly<SurfaceLimits>
}

/** Where a value is evaluated. */
export interface EvaluationPlace {
  readonly root: DataMap
  /** Location that relative paths begin at. */
  readonly scope: readonly string[]
  readonly surfaceId?: string
}

/** Computes dynamic values of version 0.9.1 (SN-33): pure, synchronous, without clock, bounded. */
export class Evaluator {
  readonly #functions: ReadonlyMap<string, HostFunction>
  readonly #context: FunctionContext
  readonly #limits: Readonly<SurfaceLimits>
  readonly #templates = new Map<string, ExpressionPart[]>()

  /** @throws RangeError for an unknown locale or time zone */
  constructor(options: EvaluatorOptions = {}) {
    const { functions = {}, locale = 'en-US', timeZone = 'UTC', limits = defaultLimits } = options
    void new Intl.DateTimeFormat(locale, { timeZone })
    this.#functions = new Map(Object.entries(functions))
    this.#limits = limits
    this.#context = { locale, timeZone, regexLength: limits.regexLength }
  }

  /** The value of a literal, a binding or a call; undefined when nothing is there. @throws EvaluationError */
  evaluate(value: JsonValue, place: EvaluationPlace): JsonValue | undefined {
    return this.#value(value, { place, depth: 0, steps: { left: this.#limits.evaluationSteps } })
  }

  /** Calls a function with arguments that are resolved first. @throws EvaluationError */
  call(name: string, args: JsonObject, place: EvaluationPlace): JsonValue {
    return this.#call(name, args, {
      place,
      depth: 1,
      steps: { left: this.#limits.evaluationSteps },
    })
  }

  #value(value: JsonValue, run: Run): JsonValue | undefined {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.#value(item, run) ?? null)
    if (isBinding(value)) return this.#bound(value.path, run)
    if (typeof value.call === 'string') {
      const args = isPlainObject(value.args) ? value.args : {}
      return this.#call(value.call, args, { ...run, depth: run.depth + 1 })
    }
    const copy: JsonObject = {}
    for (const key of Object.keys(value)) {
      const member = this.#value(value[key] ?? null, run)
      if (member !== undefined) setOwn(copy, key, member)
    }
    return copy
  }

  #bound(text: string, { place }: Run): JsonValue | undefined {
    const path = readDataPath(text)
    if (path === null) return undefined
    const found = valueAt(place.root, locationOf(path, place.scope))
    return found === undefined ? undefined : toJson(found)
  }

  #call(name: string, args: JsonObject, run: Run): JsonValue {
    const { callDepth, evaluationSteps, textLength } = this.#limits
    run.steps.left -= 1
    if (run.steps.left < 0) throw limit('evaluationSteps', evaluationSteps)
    if (run.depth > callDepth) throw limit('callDepth', callDepth)
    const result = this.#result(name, args, run)
    if (typeof result === 'string' && result.length > textLength) {
      throw limit('textLength', textLength)
    }
    return result
  }

  #result(name: string, args: JsonObject, run: Run): JsonValue {
    const host = this.#functions.get(name)
    if (host !== undefined) return this.#callHost(host, this.#resolved(args, run), run.place)
    if (name === 'formatString')
      return this.#format(toText(this.#value(args.value ?? '', run)), run)
    if (name === 'and' || name === 'or') return this.#decide(name, args.values, run)
    const basic = basicFunctions.get(name)
    if (basic === undefined) {
      throw functionFailed('The function has no implementation on this server.')
    }
    requireArguments(name, args)
    return basic(this.#resolved(args, run), this.#context)
  }

  #resolved(args: JsonObject, run: Run): JsonObject {
    const resolved: JsonObject = {}
    for (const name of Object.keys(args)) {
      const value = this.#value(args[name] ?? null, run)
      if (value !== undefined) setOwn(resolved, name, value)
    }
    return resolved
  }

  #callHost(
    host: HostFunction,
    args: JsonObject,
    { surfaceId, scope }: EvaluationPlace,
  ): JsonValue {
    let result: unknown
    try {
      const pointer = scope.map(
        (segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      )
      const about = surfaceId === undefined ? {} : { surfaceId }
      result = host(args, { ...about, scope: pointer.join('') })
    } catch {
      throw functionFailed('The function failed.')
    }
    if (result instanceof Promise) {
      result.catch(() => undefined)
      throw functionFailed('The function gave a promise.')
    }
    return (result ?? null) as JsonValue
  }

  #decide(name: 'and' | 'or', values: JsonValue | undefined, run: Run): boolean {
    const list = isPlainObject(values) ? this.#value(values, run) : values
    if (!Array.isArray(list) || list.length < 2) {
      throw new EvaluationError('invalid_argument', 'At least two values are required.')
    }
    // The first value that decides ends it.
    for (const value of list) {
      if (isTrue(this.#value(value, run)) === (name === 'or')) return name === 'or'
    }
    return name === 'and'
  }

  #format(template: string, run: Run): string {
    let text = ''
    for (const part of this.#partsOf(template)) {
      text +=
        typeof part === 'object' && part !== null ? toText(this.#value(part, run)) : toText(part)
      if (text.length > this.#limits.textLength) throw limit('textLength', this.#limits.textLength)
    }
    return text
  }

  #partsOf(template: string): ExpressionPart[] {
    const known = this.#templates.get(template)
    if (known !== undefined) return known
    try {
      const parts = parseExpression(template)
      if (this.#templates.size >= 1000) this.#templates.clear()
      if (template.length < 10_000) this.#templates.set(template, parts)
      return parts
    } catch (error) {
      if (!isSurfaceError(error)) throw error
      throw new EvaluationError('invalid_expression', error.detail)
    }
  }
}

interface Run {
  readonly place: EvaluationPlace
  readonly depth: number
  readonly steps: { left: number }
}

function limit(name: keyof SurfaceLimits, value: number): EvaluationError {
  return new EvaluationError('limit_exceeded', `The limit ${name} of ${value} is exceeded.`, name)
}

/** Whether an object is a binding: a path and nothing else. */
export function isBinding(value: unknown): value is { path: string } {
  return isPlainObject(value) && typeof value.path === 'string' && Object.keys(value).length === 1
}

/** Whether an object is a call of a function. */
export function isCall(value: unknown): value is { call: string; args?: JsonObject } {
  return isPlainObject(value) && typeof value.call === 'string'
}

/** The location of a path: absolute ones begin at the root, `.` and `""` are the item itself (SN-28). */
export function locationOf(
  { absolute, segments }: DataPath,
  scope: readonly string[],
): readonly string[] {
  const isItem = !absolute && segments.length === 1 && segments[0] === '.'
  if (absolute || scope.length === 0) return isItem ? [] : segments
  return isItem ? scope : [...scope, ...segments]
}

/** The paths that a dynamic value reads, those in templates of `formatString` too. */
export function pathsIn(value: JsonValue, found: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return found
  if (Array.isArray(value)) {
    for (const item of value) pathsIn(item, found)
  } else if (isBinding(value)) found.push(value.path)
  else {
    if (value.call === 'formatString' && isPlainObject(value.args)) {
      const template = value.args.value
      if (typeof template === 'string') pathsIn(templateParts(template), found)
    }
    for (const key of Object.keys(value)) pathsIn(value[key] ?? null, found)
  }
  return found
}

function templateParts(template: string): JsonValue {
  try {
    return parseExpression(template)
  } catch {
    return null
  }
}
