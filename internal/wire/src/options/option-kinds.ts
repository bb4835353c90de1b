import { checkBasePath } from '../base-path.ts'
import { OptionError } from './option-error.ts'
import { nearName } from './near-name.ts'

/** Where a value stands: what was called, the path of the option, the page about it. */
export interface OptionPlace {
  readonly called: string
  readonly path: string
  readonly page: string
  /** Paths of all options of the call, to name one that stands at a wrong level. */
  readonly paths: readonly string[]
}

/** What an option may be. */
export interface OptionKind {
  readonly isRequired?: true
  /** The kinds of its own options, if it has any. */
  readonly options?: OptionKinds
  /** The value to use. @throws OptionError */
  read(value: unknown, place: OptionPlace): unknown
}

export type OptionKinds = { readonly [name: string]: OptionKind }

/** One kind for each option of a type: required ones have kinds that are required. */
export type KindsOf<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name]
    ? OptionKind
    : OptionKind & { readonly isRequired: true }
}

export function required(kind: OptionKind): OptionKind & { readonly isRequired: true } {
  return { ...kind, isRequired: true }
}

/** Anything: what it is, is checked elsewhere. */
export const anything: OptionKind = { read: (value) => value }

export const flag = kindOf('true or false', (value) => typeof value === 'boolean')
export const text = kindOf('a string', (value) => typeof value === 'string')
export const callback = kindOf('a function', (value) => typeof value === 'function')
export const list = kindOf('an array', (value) => Array.isArray(value))
export const texts = kindOf(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
)

/** An integer of at least `least`. */
export function integer(least: number): OptionKind {
  return kindOf(
    `an integer of at least ${least}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least,
  )
}

/** A number of at least `least`, with a fraction or infinite. */
export function amount(least: number): OptionKind {
  return kindOf(
    `a number of at least ${least}`,
    (value) => typeof value === 'number' && value >= least,
  )
}

/** Where a handler is mounted. */
export const mountPath: OptionKind = {
  read(value, { called, path, page }) {
    const checked = checkBasePath(value)
    if ('path' in checked) return checked.path
    throw new OptionError(path, `${called}: option "${path}" ${checked.problem}`, page)
  },
}

export function choice(...choices: readonly (string | boolean | null)[]): OptionKind {
  return kindOf(oneOf(choices), (value) => choices.includes(value as string))
}

export const webAddress = kindOf(
  'an absolute http or https URL',
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
)

/** A secret, which no message shows. */
export function secret(least: number): OptionKind {
  return {
    read(value, place) {
      const isBytes = value instanceof Uint8Array
      if (typeof value !== 'string' && !isBytes)
        fail(place, 'must be a string or bytes', kindName(value))
      if (value.length < least) {
        const unit = isBytes ? 'bytes' : 'characters'
        fail(place, `must have at least ${least} characters`, `${value.length} ${unit}`)
      }
      return value
    },
  }
}

/** A secret, or the current one and those before it, at most four in all. */
export function secrets(least: number): OptionKind {
  const one = secret(least)
  return {
    read(value, place) {
      if (!Array.isArray(value)) return one.read(value, place)
      if (value.length === 0 || value.length > 4)
        fail(place, 'must have one to four secrets', `${value.length}`)
      return value.map((each, index) =>
        one.read(each, { ...place, path: `${place.path}.${index}` }),
      )
    },
  }
}

/** An object with methods, given by their paths such as `users.get`; the first that is missing is named. */
export function implementing(name: string, ...methods: readonly string[]): OptionKind {
  const article = /^[AEIO]/.test(name) ? 'an' : 'a'
  return {
    read(value, place) {
      if (!isObject(value)) fail(place, `must be ${article} ${name}`, describe(value))
      const missing = methods.find((path) => typeof valueAt(value, path) !== 'function')
      if (missing === undefined) return value
      throw new OptionError(
        place.path,
        `${place.called}: option "${place.path}" must be ${article} ${name}: it has no method ${missing}`,
        place.page,
      )
    },
  }
}

/** An object with options of its own. */
export function options(kinds: OptionKinds): OptionKind {
  return { options: kinds, read: (value, place) => readObject(value, kinds, place) }
}

/** Either of two: the first one whose type of value it is, in which case only that one speaks. */
export function either(
  isFirst: (value: unknown) => boolean,
  first: OptionKind,
  second: OptionKind,
): OptionKind {
  const { options: own } = first.options === undefined ? second : first
  return {
    ...(own !== undefined && { options: own }),
    read: (value, place) => (isFirst(value) ? first : second).read(value, place),
  }
}

/** Objects of several kinds, which the value of `tag` tells apart; they are kept, with what else they hold. */
export function tagged(
  tag: string,
  variants: { readonly [value: string]: OptionKinds },
): OptionKind {
  return {
    read(value, place) {
      if (!isObject(value)) fail(place, 'must be an object', describe(value))
      const chosen: unknown = Reflect.get(value, tag)
      const kinds =
        typeof chosen === 'string' && Object.hasOwn(variants, chosen) ? variants[chosen] : undefined
      const at = { ...place, path: `${place.path}.${tag}` }
      if (kinds === undefined) fail(at, `must be ${oneOf(Object.keys(variants))}`, describe(chosen))
      readObject(value, { [tag]: anything, ...kinds }, place)
      return value
    },
  }
}

export function kindOf(expected: string, accepts: (value: unknown) => boolean): OptionKind {
  return {
    read(value, place) {
      if (!accepts(value)) fail(place, `must be ${expected}`, describe(value))
      return value
    },
  }
}

/** The options that are given, each read once. Unknown names are refused; symbols are not names. */
export function readObject(value: unknown, kinds: OptionKinds, place: OptionPlace): object {
  const { called, path, page } = place
  if (!isObject(value) || Array.isArray(value)) {
    if (path !== '') fail(place, 'must be an object', describe(value))
    throw new OptionError('', `${called}: options must be an object, got ${describe(value)}`, page)
  }
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const name of Object.keys(value))
    if (!Object.hasOwn(kinds, name) && Reflect.get(value, name) !== undefined)
      throw unknownName(name, kinds, { ...place, path: below(name) })
  const read: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const given: unknown = Reflect.get(value, name)
    const at = below(name)
    if (given !== undefined) read[name] = kind.read(given, { ...place, path: at })
    else if (kind.isRequired === true)
      throw new OptionError(at, `${called}: option "${at}" is required`, page)
  }
  return read
}

function unknownName(
  name: string,
  kinds: OptionKinds,
  { called, path, page, paths }: OptionPlace,
): OptionError {
  const known = Object.keys(kinds)
  const prefix = path.slice(0, path.length - name.length)
  const near = nearName(name, known)
  const elsewhere = paths.find((one) => one.split('.').at(-1) === name)
  const meant = near === undefined ? elsewhere : `${prefix}${near}`
  const hint =
    meant === undefined
      ? `Known options: ${known.toSorted().join(', ')}`
      : `Did you mean "${meant}"?`
  return new OptionError(path, `${called}: unknown option "${path}". ${hint}`, page)
}

/** The paths of options and of their own options. */
export function pathsOf(kinds: OptionKinds, prefix = ''): string[] {
  return Object.entries(kinds).flatMap(([name, kind]) => [
    `${prefix}${name}`,
    ...(kind.options === undefined ? [] : pathsOf(kind.options, `${prefix}${name}.`)),
  ])
}

export function fail({ called, path, page }: OptionPlace, expected: string, got: string): never {
  throw new OptionError(path, `${called}: option "${path}" ${expected}, got ${got}`, page)
}

/** A value as JavaScript writes it, at most 60 characters. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return cut(`'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`)
  if (typeof value === 'bigint') return cut(`${value}n`)
  if (typeof value === 'symbol') return cut(value.toString())
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === undefined ? 'undefined' : kindName(value)
}

function kindName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function cut(shown: string): string {
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown
}

function oneOf(choices: readonly (string | boolean | null)[]): string {
  const shown = choices.map((one) => describe(one))
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function valueAt(value: object, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) {
    if (found === undefined || found === null) return undefined
    found = Reflect.get(Object(found) as object, name)
  }
  return found
}
