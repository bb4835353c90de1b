import { createLinearPattern, type LinearPattern } from '../data/linear-pattern.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { EvaluationError, functionFailed } from './evaluation-error.ts'
import { formatDate } from './format-date.ts'
import { formatNumber, pluralCategory } from './formatters.ts'
import { toNumber, toText } from './truth.ts'

/** The context of a function call. */
export interface FunctionContext {
  readonly locale: string
  readonly timeZone: string
  /** Maximum length of a pattern. */
  readonly regexLength: number
  /** Returns whether a value counts as true. */
  readonly isTrue: (value: JsonValue | undefined) => boolean
}

/** A basic catalog function with resolved arguments. */
export type BasicFunction = (args: JsonObject, context: FunctionContext) => JsonValue

/**
 * Functions evaluated on a server, except `formatString`, `and` and `or`, which resolve their own
 * arguments.
 */
export const basicFunctions: ReadonlyMap<string, BasicFunction> = new Map<string, BasicFunction>([
  ['required', ({ value }) => !isEmpty(value)],
  ['regex', matchesPattern],
  ['length', (args) => within(lengthOf(args.value), args)],
  ['numeric', (args) => within(toNumber(args.value), args)],
  ['email', ({ value }) => typeof value === 'string' && value.length <= 320 && isEmail(value)],
  [
    'formatNumber',
    (args, context) => {
      const value = toNumber(args.value)
      const { locale } = context
      return value === null ? '' : formatNumber(value, { locale, ...digitsOf(args, context) })
    },
  ],
  [
    'formatCurrency',
    (args, context) => {
      const value = toNumber(args.value)
      if (value === null) return ''
      const { locale } = context
      const { decimals = 2, grouping } = digitsOf(args, context)
      return formatNumber(value, { locale, currency: toText(args.currency), decimals, grouping })
    },
  ],
  ['formatDate', ({ value, format }, context) => formatDate(value, toText(format), context)],
  ['pluralize', pluralize],
  ['openUrl', openUrl],
  ['not', ({ value }, { isTrue }) => !isTrue(value)],
])

/** Names of all functions of the basic catalogs. */
export const basicFunctionNames: readonly string[] = Object.freeze([
  ...basicFunctions.keys(),
  'formatString',
  'and',
  'or',
])

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  return Array.isArray(value) && value.length === 0
}

const patterns = new WeakMap<object, Map<string, LinearPattern>>()

/** Matches anywhere in the value, in linear time. */
function matchesPattern(args: JsonObject, context: FunctionContext): boolean {
  const pattern = toText(args.pattern)
  const value = toText(args.value)
  if (pattern.length > context.regexLength) throw functionFailed('The pattern is too long.')
  if (value.length > 10_000) return false
  return compiled(pattern, context).test(value)
}

/** Patterns are cached as long as their store's context. */
function compiled(source: string, context: FunctionContext): LinearPattern {
  const known = patterns.get(context) ?? new Map<string, LinearPattern>()
  patterns.set(context, known)
  const found = known.get(source)
  if (found !== undefined) return found
  try {
    const made = createLinearPattern(source)
    if (known.size < 100) known.set(source, made)
    return made
  } catch {
    throw functionFailed('The pattern is not a regular expression that runs in linear time.')
  }
}

function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return toText(value).length
}

function within(value: number | null, { min, max }: JsonObject): boolean {
  if (value === null) return false
  const low = toNumber(min)
  const high = toNumber(max)
  return (low === null || value >= low) && (high === null || value <= high)
}

function isEmail(value: string): boolean {
  return /^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$/.test(value)
}

function digitsOf(
  { decimals, grouping }: JsonObject,
  { isTrue }: FunctionContext,
): {
  decimals: number | undefined
  grouping: boolean
} {
  return {
    decimals: toNumber(decimals) ?? undefined,
    grouping: grouping === undefined || grouping === null || isTrue(grouping),
  }
}

const exactForms: Readonly<Record<number, string>> = { 0: 'zero', 1: 'one', 2: 'two' }

function pluralize(args: JsonObject, { locale }: FunctionContext): JsonValue {
  const value = toNumber(args.value)
  const exact = value === null ? undefined : exactForms[value]
  const category = value === null ? 'other' : pluralCategory(value, locale)
  for (const name of [exact, category]) {
    if (name !== undefined && Object.hasOwn(args, name)) return toText(args[name])
  }
  return toText(args.other)
}

function openUrl({ url }: JsonObject): null {
  if (/^(?:https?|mailto|tel):/i.test(toText(url))) return null
  throw functionFailed('Only addresses with http, https, mailto or tel are opened.')
}

/** Required arguments of each function. */
const requiredArguments: Readonly<Record<string, readonly string[]>> = {
  regex: ['value', 'pattern'],
  formatCurrency: ['value', 'currency'],
  formatDate: ['value', 'format'],
  pluralize: ['value', 'other'],
  openUrl: ['url'],
}

/**
 * Checks that a function's required arguments are present, whatever their value. @throws EvaluationError
 */
export function requireArguments(name: string, args: JsonObject): void {
  for (const argument of requiredArguments[name] ?? ['value']) {
    if (!Object.hasOwn(args, argument)) {
      throw new EvaluationError('invalid_argument', `The argument ${argument} is required.`)
    }
  }
  if (name === 'length' && !Object.hasOwn(args, 'min') && !Object.hasOwn(args, 'max')) {
    throw new EvaluationError('invalid_argument', 'Set min, max or both.')
  }
}
