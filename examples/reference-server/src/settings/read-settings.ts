import { closest } from 'fastest-levenshtein'
import { scimVariables, variables, type Variable } from './variables.ts'

type Table = typeof variables
type Read<V extends Variable> = V['kind'] extends 'boolean'
  ? boolean
  : V['kind'] extends 'integer'
    ? number
    : V['kind'] extends 'list'
      ? readonly string[]
      : string

/** The values of all variables; undefined where nothing is given and there is no default. */
export type Settings = {
  readonly [K in keyof Table]: Read<Table[K]> | undefined
}

/** A variable that cannot be read: the start stops with this one line. */
export class SettingsError extends Error {}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/**
 * Reads the settings from an environment. Unknown names of the service's prefixes are warned about.
 * @throws SettingsError naming the variable
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): {
  readonly settings: Settings
  readonly warnings: readonly string[]
} {
  const entries = Object.entries(variables).map(([name, variable]) => [
    name,
    readVariable(name, variable, env[name]),
  ])
  return { settings: Object.fromEntries(entries) as Settings, warnings: unknownNames(env) }
}

function readVariable(name: string, variable: Variable, given: string | undefined): unknown {
  const text = given === undefined || given.trim() === '' ? variable.default : given.trim()
  if (text === undefined) return undefined
  const { kind } = variable
  if (kind === 'boolean') {
    const value = BOOLEANS.get(text.toLowerCase())
    if (value === undefined) throw new SettingsError(`${name} must be true or false`)
    return value
  }
  if (kind === 'integer') {
    const value = Number(text)
    const least = variable.min ?? 0
    if (!/^\d+$/.test(text) || value < least)
      throw new SettingsError(`${name} must be a whole number of at least ${least}`)
    if (value > (variable.max ?? Number.MAX_SAFE_INTEGER))
      throw new SettingsError(`${name} must be at most ${variable.max ?? Number.MAX_SAFE_INTEGER}`)
    return value
  }
  if (kind === 'list') {
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }
  if (typeof kind !== 'string' && !kind.includes(text.toLowerCase()))
    throw new SettingsError(`${name} must be one of ${kind.join(', ')}`)
  return typeof kind === 'string' ? text : text.toLowerCase()
}

function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.keys(variables), ...Object.keys(scimVariables)]
  return Object.keys(env)
    .filter((name) => /^(SERVICE|SCIM|OIDC)_/.test(name) && !known.includes(name))
    .map((name) => `${name} is unknown; did you mean ${closest(name, known)}?`)
}

/** The text of `--help`: every variable with its default and meaning. */
export function helpText(): string {
  const rows = Object.entries<Variable>({ ...variables, ...scimVariables })
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, { default: value, meaning }]) =>
    `  ${name.padEnd(width)}  ${meaning}${value === undefined ? '' : ` (${value})`}`.trimEnd(),
  )
  return [
    'The reference server: flow API, SCIM and surfaces in one process.',
    'npm start -- --check names what the settings open, without starting; its exit code is 0.',
    'Configured by environment variables only; defaults in brackets:',
    '',
    ...lines,
    '',
  ].join('\n')
}
