import { resolve } from 'node:path'

/** A database named in a flow. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly paths: readonly string[] }
  | {
      readonly kind: 'postgres'
      readonly host: string
      readonly port: number
      readonly database: string
      readonly user: string
      readonly password: string
      readonly tls: boolean
    }

/**
 * Parses `sqlite:PATH`, `sqlite:///PATH` and `postgres://user:password@host:port/database`, also with the
 * name of a Python driver (`postgresql+psycopg2://`). Parameters other than `sslmode` are dropped, because
 * `host` could redirect the connection. Null for anything else.
 */
export function readDatabaseAddress(text: string): DatabaseAddress | null {
  const [, scheme = '', rest = ''] = /^([a-z]+)(?:\+\w+)?:(.*)$/is.exec(text.trim()) ?? []
  const name = scheme.toLowerCase()
  if (name === 'sqlite') return readSqlite(rest)
  if (name !== 'postgres' && name !== 'postgresql') return null
  if (!URL.canParse(`postgres:${rest}`)) return null
  const url = new URL(`postgres:${rest}`)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (url.hostname === '' || database === '') return null
  return {
    kind: 'postgres',
    host: url.hostname.toLowerCase(),
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: /^(require|verify-ca|verify-full)$/.test(url.searchParams.get('sslmode') ?? ''),
  }
}

/** True if an address used in a flow is one the operator allows; credentials are not compared. */
export function isSameDatabase(asked: DatabaseAddress, allowed: DatabaseAddress): boolean {
  if (asked.kind === 'sqlite') {
    return allowed.kind === 'sqlite' && asked.paths.some((path) => allowed.paths.includes(path))
  }
  if (allowed.kind === 'sqlite') return false
  const { host, port, database } = allowed
  return asked.host === host && asked.port === port && asked.database === database
}

/** For error messages: without user and password. */
export function describeAddress(address: DatabaseAddress | null): string {
  if (address === null) return 'This address'
  if (address.kind === 'sqlite') return `sqlite:${address.paths[0] ?? ''}`
  const { host, port, database } = address
  return `postgres://${host}${port === 5432 ? '' : `:${port}`}/${database}`
}

/** By SQLAlchemy's rule `sqlite:///a.db` is relative, although many users expect it to be absolute. */
function readSqlite(rest: string): DatabaseAddress | null {
  const [, slashes = '', path = ''] = /^(\/{0,3})(.*)$/s.exec(rest.split('?')[0] ?? '') ?? []
  const isUrl = slashes.length >= 2
  const readings = isUrl ? [path, `/${path}`] : [slashes + path]
  if (path === '' || path === ':memory:' || path.includes('\0')) return null
  return { kind: 'sqlite', paths: [...new Set(readings.map((reading) => resolve(reading)))] }
}
