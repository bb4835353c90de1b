import { closest } from 'fastest-levenshtein'
import { scimVariables } from './scim-variables.ts'
import type { Variable } from './variable.ts'
import { variables } from './variables.ts'
import { wrapText } from './wrap-text.ts'

type Table = typeof variables
type SettingValue<V extends Variable> = V['kind'] extends 'boolean'
  ? boolean
  : V['kind'] extends 'integer'
    ? number
    : V['kind'] extends 'list'
      ? readonly string[]
      : string

/** The values of all variables; undefined if neither set nor defaulted. */
export type Settings = {
  readonly [K in keyof Table]: SettingValue<Table[K]> | undefined
}

/** An invalid variable; the start fails with this one line. */
export class SettingsError extends Error {}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

/**
 * Reads the settings from an environment. Unknown names with the service's prefixes produce warnings.
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
  // The SCIM package reads its own variables and is less strict about some.
  for (const [name, variable] of Object.entries<Variable>(scimVariables))
    readVariable(name, variable, env[name])
  const settings = Object.fromEntries(entries) as Settings
  return { settings, warnings: [...unknownNames(env), ...fleetWarnings(settings)] }
}

/** The value of one variable, or its default. @throws SettingsError */
export function readVariable(name: string, variable: Variable, given: string | undefined): unknown {
  const text = given === undefined || given.trim() === '' ? variable.default : given.trim()
  if (text === undefined) return undefined
  const { kind, form } = variable
  if (kind === 'boolean')
    return BOOLEANS.get(text.toLowerCase()) ?? refuse(name, acceptedOf(variable), text)
  if (kind === 'integer') {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = variable
    const isAllowed = /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
    return isAllowed ? Number(text) : refuse(name, acceptedOf(variable), text)
  }
  if (kind === 'list') {
    const parts = text.split(',').map((part) => part.trim())
    const wrong = form && parts.find((part) => part !== '' && !form.has(part))
    if (wrong !== undefined) refuse(name, acceptedOf(variable), wrong)
    return parts.filter((part) => part !== '')
  }
  if (typeof kind !== 'string')
    return (
      kind.find((word) => word.toLowerCase() === text.toLowerCase()) ??
      refuse(name, acceptedOf(variable), text)
    )
  if (form?.has(text) === false) refuse(name, acceptedOf(variable), text)
  return text
}

/** The accepted values, completing `NAME must be ...`; undefined if any string is accepted. */
function acceptedOf({ kind, min = 0, max, form }: Variable): string | undefined {
  if (kind === 'boolean') return 'true or false'
  if (kind === 'integer')
    return max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`
  return typeof kind === 'string' ? form?.accepted : `one of ${kind.join(', ')}`
}

/** Not called for secrets, which have no required format. */
function refuse(name: string, accepted = 'a string', given = ''): never {
  const shown = given.length > 60 ? `${given.slice(0, 60)}...` : given
  throw new SettingsError(`${name} must be ${accepted}, but is ${JSON.stringify(shown)}`)
}

/** @throws SettingsError for a role that needs other processes */
function fleetWarnings(settings: Settings): string[] {
  const { SERVICE_DATABASE_URL: url = '', SERVICE_ROLE: role } = settings
  if (role === 'web' && !url.startsWith('postgres'))
    throw new SettingsError('SERVICE_ROLE=web needs PostgreSQL')
  const { SERVICE_DATABASE_STATEMENT_SECONDS: most = 0, SERVICE_LEASE_SECONDS: lease = 15 } =
    settings
  if (most < lease) return []
  return [
    `SERVICE_DATABASE_STATEMENT_SECONDS (${most}) should be less than SERVICE_LEASE_SECONDS (${lease})`,
  ]
}

function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.keys(variables), ...Object.keys(scimVariables)]
  return Object.keys(env)
    .filter((name) => /^(SERVICE|SCIM|OIDC)_/.test(name) && !known.includes(name))
    .map((name) => `${name} is unknown; did you mean ${closest(name, known)}?`)
}

const COMMANDS = `The reference server: flow API, SCIM and surfaces in one process.

  npm start                    starts the server
  npm start -- --check         lists what the settings expose and what a public
                               server lacks, without starting; exits with 1 if
                               the start would fail, and with --public if a
                               public server lacks something
  npm start -- --reencrypt     encrypts stored secrets with the current key,
                               beside a running server
  npm run demo                 starts a temporary server and shows what it does
  npm run migrate -- --help    copies an existing Langflow installation

Environment variables configure it; defaults are in parentheses.`

/** The text of `--help`: the commands, and every variable with its default, meaning and choices. */
export function helpText(width = 80): string {
  const rows = (of: Readonly<Record<string, Variable>>): string[] =>
    Object.entries(of).map(([name, { kind, default: value, meaning }]) => {
      const choices = typeof kind === 'string' ? '' : ` [${kind.join(' | ')}]`
      const head = `  ${name}${value === undefined ? '' : ` (${value})`}`
      return `${head}\n      ${wrapText(`${meaning}${choices}`, 6, width)}`
    })
  return [
    COMMANDS,
    '',
    'Server and flows:',
    ...rows(variables),
    '',
    'Provisioning (SCIM):',
    ...rows(scimVariables),
    '',
  ].join('\n')
}

/** The page docs/reference/settings.md: the same variables with their accepted values. */
export function settingsPage(): string {
  const rows = (of: Readonly<Record<string, Variable>>): string[] =>
    Object.entries(of).map(([name, variable]) => {
      const value = variable.default === undefined ? '' : `\`${variable.default}\``
      return `| \`${name}\` | ${takesOf(variable)} | ${value} | ${escaped(variable.meaning)} |`
    })
  const head = ['| variable | value | default | meaning |', '| --- | --- | --- | --- |']
  return [
    '# Settings of the reference server',
    '',
    'Every environment variable of `npm start`, as listed by `npm start -- --help`. This page is generated.',
    'An invalid value stops the start with one line that names the variable, the accepted values and the actual value.',
    'Unknown names that begin with `SERVICE_`, `SCIM_` or `OIDC_` are logged as warnings.',
    '',
    '## Server and flows',
    '',
    ...head,
    ...rows(variables),
    '',
    '## Provisioning (SCIM)',
    '',
    ...head,
    ...rows(scimVariables),
    '',
  ].join('\n')
}

function takesOf(variable: Variable): string {
  if (variable.kind === 'secret') return 'a secret'
  const accepted = acceptedOf(variable)
  if (variable.kind === 'list')
    return `a comma-separated list${accepted === undefined ? '' : ` of ${accepted}`}`
  return escaped(accepted ?? 'a string')
}

/** Escapes text for a table cell. */
const escaped = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('{', '&#123;')
    .replaceAll('*', '\\*')
