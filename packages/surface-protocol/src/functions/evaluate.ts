import { defaultLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { isSurfaceError } from '../diagnostics/errors.ts'
import { readDataPath, type DataPath } from '../data/data-path.ts'
import { toJson, valueAt, type DataMap } from '../data/data-value.ts'
import { formatPointer, isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import { basicFunctions, requireArguments, type FunctionContext } from './basic-functions.ts'
import { EvaluationError, functionFailed } from './evaluation-error.ts'
import { parseExpression, type ExpressionPart } from './expression.ts'
import { toText } from './truth.ts'
import { plainSyntax, type ValueSyntax } from './value-syntax.ts'

/** A host function. Must not return a promise. */
export type HostFunction = (
  args: JsonObject,
  context: { readonly surfaceId?: string; readonly scope: string; readonly signal?: AbortSignal },
) => unknown

/** Options of an evaluator. */
export interface EvaluatorOptions {
  readonly functions?: Readonly<Record<string, HostFunction>> | undefined
  /** Default: en-US. */
  readonly locale?: string | undefined
  /** Default: UTC. */
  readonly timeZone?: string | undefined
  readonly limits?: Readonly<SurfaceLimits>
  /** Default: those of version 0.9.1. */
  readonly rules?: EvaluationRules
}

/** A version's rules for computed values. */
export interface EvaluationRules {
  readonly syntax: ValueSyntax
  /** Finds the function of a call; `undefined` means a basic catalog function. */
  readonly find?: (call: CallSite) => FoundFunction | undefined
  /** Converts the result of a basic function. */
  readonly result?: (name: string, value: JsonValue) => JsonValue
}

/** A call at its place of evaluation. */
export interface CallSite {
  readonly name: string
  /** The catalog named by the call. */
  readonly catalogId: string | undefined
  readonly place: EvaluationPlace
}

/** A function outside the basic catalog: of a host, or of the protocol itself. */
export type FoundFunction =
  | { readonly host: HostFunction }
  | { readonly system: (args: JsonObject) => JsonValue }

/** Where a value is evaluated. */
export interface EvaluationPlace {
  readonly root: DataMap
  /** The location relative paths start at. */
  readonly scope: readonly string[]
  readonly surfaceId?: string
  /** The catalog named by the surface; null if there is none. */
  readonly catalogId?: string | null
  /** Positions computed during one pass over the data. */
  readonly positions?: Map<DataMap, ReadonlyMap<string, number>>
}

const plainRules: EvaluationRules = { syntax: plainSyntax }

/** Evaluates dynamic values: pure, synchronous, without a clock, bounded. */
export class Evaluator {
  readonly syntax: ValueSyntax
  readonly #rules: EvaluationRules
  readonly #functions: ReadonlyMap<string, HostFunction>
  readonly #context: FunctionContext
  readonly #limits: Readonly<SurfaceLimits>
  readonly #templates = new Map<string, ExpressionPart[]>()

  /** @throws RangeError for an unknown locale or time zone */
  constructor(options: EvaluatorOptions = {}) {
    const { functions = {}, locale = 'en-US', timeZone = 'UTC', limits = defaultLimits } = options
    const { rules = plainRules } = options
    this.#rules = rules
    this.syntax = rules.syntax
    void new Intl.DateTimeFormat(locale, { timeZone })
    this.#functions = new Map(Object.entries(functions))
    this.#limits = limits
    const { isTrue } = rules.syntax
    this.#context = { locale, timeZone, regexLength: limits.regexLength, isTrue }
  }

  /** The value of a literal, a binding or a call; undefined if absent. @throws EvaluationError */
  evaluate(value: JsonValue, place: EvaluationPlace): JsonValue | undefined {
    return this.#value(value, this.#begin(place, 0))
  }

  /** Calls a function after resolving its arguments. @throws EvaluationError */
  call(name: string, args: JsonObject, place: EvaluationPlace, catalogId?: string): JsonValue {
    return this.#call({ name, args, catalogId }, this.#begin(place, 1))
  }

  #begin(place: EvaluationPlace, depth: number): Run {
    const steps = { left: this.#limits.evaluationSteps }
    return { place, depth, steps, syntax: this.syntax }
  }

  #value(value: JsonValue, run: Run): JsonValue | undefined {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.#value(item, run) ?? null)
    const { syntax } = run
    const path = syntax.pathOf(value)
    if (path !== undefined) return this.#bound(path, run)
    const name = syntax.callOf(value)
    if (name !== undefined) {
      const args = isPlainObject(value.args) ? value.args : {}
      const catalogId = typeof value.catalogId === 'string' ? value.catalogId : undefined
      return this.#call({ name, args, catalogId }, { ...run, depth: run.depth + 1 })
    }
    const copy: JsonObject = {}
    for (const key of Object.keys(value)) {
      const member = this.#value(value[key] ?? null, run)
      if (member !== undefined) setOwn(copy, syntax.keyOf(key), member)
    }
    return copy
  }

  #bound(text: string, { place }: Run): JsonValue | undefined {
    const path = readDataPath(text)
    if (path === null) return undefined
    const found = valueAt(place.root, pathLocation(path, place.scope))
    return found === undefined ? undefined : toJson(found)
  }

  #call(call: Call, run: Run): JsonValue {
    const { callDepth, evaluationSteps, textLength } = this.#limits
    run.steps.left -= 1
    if (run.steps.left < 0) throw limit('evaluationSteps', evaluationSteps)
    if (run.depth > callDepth) throw limit('callDepth', callDepth)
    const result = this.#result(call, run)
    if (typeof result === 'string' && result.length > textLength) {
      throw limit('textLength', textLength)
    }
    return result
  }

  #result({ name, args, catalogId }: Call, run: Run): JsonValue {
    const found = this.#rules.find?.({ name, catalogId, place: run.place })
    if (found !== undefined && 'system' in found) return found.system(this.#resolved(args, run))
    const host = found?.host ?? this.#functions.get(name)
    if (host !== undefined) return this.#callHost(host, this.#resolved(args, run), run.place)
    const value = this.#basic(name, args, run)
    return this.#rules.result?.(name, value) ?? value
  }

  #basic(name: string, args: JsonObject, run: Run): JsonValue {
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
      const about = surfaceId === undefined ? {} : { surfaceId }
      result = host(args, { ...about, scope: formatPointer(scope) })
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
    // Short-circuits at the first deciding value.
    for (const value of list) {
      if (this.syntax.isTrue(this.#value(value, run)) === (name === 'or')) return name === 'or'
    }
    return name === 'and'
  }

  #format(template: string, outer: Run): string {
    // Expressions in templates have the same form in every version.
    const run = outer.syntax === plainSyntax ? outer : { ...outer, syntax: plainSyntax }
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
  readonly syntax: ValueSyntax
}

interface Call {
  readonly name: string
  readonly args: JsonObject
  readonly catalogId: string | undefined
}

function limit(name: keyof SurfaceLimits, value: number): EvaluationError {
  return new EvaluationError('limit_exceeded', `The limit ${name} of ${value} is exceeded.`, name)
}

/** The location of a path: absolute ones start at the root; `.` and `""` are the item itself. */
export function pathLocation(
  { absolute, segments }: DataPath,
  scope: readonly string[],
): readonly string[] {
  const isItem = !absolute && segments.length === 1 && segments[0] === '.'
  if (absolute || scope.length === 0) return isItem ? [] : segments
  return isItem ? scope : [...scope, ...segments]
}

/** The paths read by a dynamic value, including those in `formatString` templates. */
export function pathsIn(
  value: JsonValue,
  syntax: ValueSyntax = plainSyntax,
  found: string[] = [],
): string[] {
  if (typeof value !== 'object' || value === null) return found
  if (Array.isArray(value)) {
    for (const item of value) pathsIn(item, syntax, found)
    return found
  }
  const path = syntax.pathOf(value)
  if (path !== undefined) {
    found.push(path)
    return found
  }
  if (syntax.callOf(value) === 'formatString' && isPlainObject(value.args)) {
    const template = value.args.value
    if (typeof template === 'string') pathsIn(templateParts(template), plainSyntax, found)
  }
  for (const key of Object.keys(value)) pathsIn(value[key] ?? null, syntax, found)
  return found
}

function templateParts(template: string): JsonValue {
  try {
    return parseExpression(template)
  } catch {
    return null
  }
}
