import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Opening } from './opening-switches.ts'
import type { Settings } from './read-settings.ts'
import { wrapText } from './wrap-text.ts'

/** Secrets commonly used in examples. */
const KNOWN = /^(admin|password|secret|change.?me|default|example|test|letmein|langflow)\d*$/i
const MIN_PASSWORD_LENGTH = 12
const MIN_SECRET_LENGTH = 24

/**
 * Lists what is unsafe or missing for a public server (OP-14). Creates nothing and reveals no secret.
 */
export function shortcomingsOf(settings: Settings): Opening[] {
  return [
    ...addressShortcomings(settings),
    ...signInShortcomings(settings),
    ...secretShortcomings(settings),
    ...databaseShortcomings(settings),
    ...folderShortcomings(settings),
  ].map(([name, opens]) => ({ name, opens }))
}

interface TextOptions {
  /** Width of the terminal. Default: unlimited. */
  readonly columns?: number | undefined
  /** They are errors of a server that is to be public, else notes. Default false. */
  readonly isPublic?: boolean
}

/** The section of `--check` about public servers. */
export function shortcomingsText(
  found: readonly Opening[],
  { columns = Number.POSITIVE_INFINITY, isPublic = false }: TextOptions = {},
): string {
  const mark = isPublic ? 'error: ' : 'note: '
  if (found.length === 0) return 'Nothing is missing for a public server.'
  const width = found.reduce((most, { name }) => Math.max(most, name.length), 0)
  return [
    `Unsafe or missing for a public server (${found.length}):`,
    ...found.map(
      ({ name, opens }) =>
        `${mark}${name.padEnd(width)}  ${wrapText(opens, width + mark.length + 2, columns)}`,
    ),
  ].join('\n')
}

type ShortcomingList = readonly [name: string, problem: string][]

function addressShortcomings({
  SERVICE_PUBLIC_URL: url,
  SERVICE_TRUST_PROXY: proxies = [],
}: Settings): ShortcomingList {
  const isTls = url?.toLowerCase().startsWith('https:') === true
  return [
    ...when(url === undefined, 'SERVICE_PUBLIC_URL', 'missing: set the public https URL'),
    ...when(
      url !== undefined && !isTls,
      'SERVICE_PUBLIC_URL',
      'no TLS: keys and passwords are sent unencrypted; set an https URL',
    ),
    ...when(
      isTls && (proxies.length === 0 || proxies.join().toLowerCase() === 'false'),
      'SERVICE_TRUST_PROXY',
      'missing: all clients seem to have the address of the TLS proxy',
    ),
  ]
}

function signInShortcomings(settings: Settings): ShortcomingList {
  return [
    ...when(
      settings.SERVICE_AUTO_LOGIN === true,
      'SERVICE_AUTO_LOGIN',
      'everyone is the superuser; turn it off',
    ),
    ...when(
      settings.SERVICE_WEBHOOK_AUTH_ENABLE === false,
      'SERVICE_WEBHOOK_AUTH_ENABLE',
      'public webhooks: anyone who knows the URL can run the flow; set it to true',
    ),
    ...when(
      settings.SERVICE_LOGIN_RATE_LIMIT === false,
      'SERVICE_LOGIN_RATE_LIMIT',
      'passwords can be guessed without a limit; turn it on',
    ),
  ]
}

function secretShortcomings(settings: Settings): ShortcomingList {
  const {
    SERVICE_SECRET_KEY: key,
    SERVICE_SUPERUSER: name = 'admin',
    SERVICE_SUPERUSER_PASSWORD: password,
    SERVICE_METRICS_TOKEN: metrics,
    SERVICE_API_KEY: apiKey,
  } = settings
  const weak = 'default or weak: set a long random value'
  return [
    ...when(
      key === undefined,
      'SERVICE_SECRET_KEY',
      'missing: a generated key is stored in SERVICE_CONFIG_DIR; back it up, and set the same key for all processes',
    ),
    ...when(key !== undefined && isRepeated(key), 'SERVICE_SECRET_KEY', weak),
    ...when(
      password !== undefined &&
        (password.length < MIN_PASSWORD_LENGTH || password === name || KNOWN.test(password)),
      'SERVICE_SUPERUSER_PASSWORD',
      weak,
    ),
    ...when(isWeak(metrics), 'SERVICE_METRICS_TOKEN', weak),
    ...when(isWeak(apiKey), 'SERVICE_API_KEY', weak),
  ]
}

const isWeak = (secret: string | undefined): boolean =>
  secret !== undefined && (secret.length < MIN_SECRET_LENGTH || isRepeated(secret))

/** Contains few different characters, or is a common example. */
const isRepeated = (secret: string): boolean =>
  new Set(secret).size < 8 || KNOWN.test(secret) || /change.?me/i.test(secret)

function databaseShortcomings({
  SERVICE_DATABASE_URL: url = 'sqlite:',
}: Settings): ShortcomingList {
  if (!url.startsWith('sqlite:')) return []
  const problem = url.includes(':memory:')
    ? 'in memory: all data is lost when the server stops'
    : 'SQLite supports one process; several need postgres://'
  return [['SERVICE_DATABASE_URL', problem]]
}

/** Files other users of this machine can modify, and secrets they can read. */
function folderShortcomings({
  SERVICE_CONFIG_DIR: folder = './data',
  SERVICE_DATABASE_URL: url,
}: Settings): ShortcomingList {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url ?? '')?.[1]
  const database = path ?? join(folder, 'service.db')
  const writable = 'writable by others: chmod o-w,g-w'
  return [
    ...when(allows(folder, 0o022), 'SERVICE_CONFIG_DIR', `${folder} is ${writable}`),
    ...when(allows(database, 0o022), 'SERVICE_DATABASE_URL', `${database} is ${writable}`),
    ...when(
      allows(join(folder, 'secret_key'), 0o077),
      'SERVICE_SECRET_KEY',
      'its file is readable by others: chmod 600',
    ),
  ]
}

function allows(path: string, bits: number): boolean {
  if (process.platform === 'win32') return false
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & bits) !== 0
}

const when = (isSo: boolean, name: string, problem: string): ShortcomingList =>
  isSo ? [[name, problem]] : []
