import { isScimError, ScimError } from '@x/scim-core'
import {
  csvRows,
  RECONCILE_REASONS,
  type DirectoryRow,
  type ReconcileReason,
  type ReconcileRow,
  type Reconciliation,
} from '@x/scim-core/reconcile'
import type { AdminAnswer } from './authorize-superuser.ts'

export const RECONCILE_PATH = '/api/v1/scim/reconcile'

/** Maximum bytes of a directory's list. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_COUNT = 1_000
const MAX_START = 1_000_000_000

export interface ScimReconcileOptions {
  /** null: turned off. */
  readonly reconciliation: Reconciliation | null
  /** The tenants named by tokens in the settings; the first one is the default of the query. */
  readonly tenants: readonly string[]
  /**
   * Links an account to the directory as a user with this name.
   * @throws ScimError
   */
  readonly link: (input: {
    readonly tenant: string
    readonly account: string
    readonly userName: string
    readonly actor: string
  }) => Promise<object>
  /** Returns the superuser, or the response for anyone else. */
  readonly authorize: (request: Request) => Promise<{ readonly actor: string } | Response>
  readonly onError: (error: unknown) => void
}

/**
 * Who is active, why and since when, for superusers: GET is the report, POST compares with the directory's own
 * list (a CSV with the columns userName or externalId, and active, or JSON `{"users":[...]}`), and POST `/link`
 * links one account. Deactivates nobody.
 */
export function createScimReconcile({
  reconciliation,
  tenants,
  link,
  authorize,
  onError,
}: ScimReconcileOptions): AdminAnswer {
  const act = async (request: Request, path: string, actor: string): Promise<Response> => {
    const url = new URL(request.url)
    const tenant = url.searchParams.get('tenant') ?? tenants[0] ?? ''
    if (!tenants.includes(tenant)) return refusal(404, 'not_found', 'There is no such tenant.')
    const isLink = path === `${RECONCILE_PATH}/link`
    if (reconciliation === null || (!isLink && path !== RECONCILE_PATH))
      return refusal(404, 'not_found', 'There is no such page.')
    if (isLink && request.method === 'POST') {
      const { account, userName } = await readLink(request)
      return answer(201, await link({ tenant, account, userName, actor }))
    }
    if (!isLink && request.method === 'POST') {
      const force = url.searchParams.get('force') === 'true'
      return answer(200, await reconciliation.compare(tenant, rowsOf(request), { force }))
    }
    if (!isLink && (request.method === 'GET' || request.method === 'HEAD')) {
      const { startIndex, count, ...filter } = readQuery(url.searchParams)
      const page = { offset: startIndex - 1, limit: count }
      const { total, counts, rows } = await reconciliation.report(tenant, { ...filter, ...page })
      if (request.headers.get('accept')?.toLowerCase().includes('text/csv') === true)
        return csvAnswer(rows)
      return answer(200, { total, counts, rows })
    }
    const allow = isLink ? 'POST' : 'GET, POST'
    return refusal(405, 'method_not_allowed', 'The method is not offered.', { allow })
  }
  return async (request, path) => {
    try {
      const caller = await authorize(request)
      if (caller instanceof Response) return caller
      return await act(request, path.replace(/\/$/, ''), caller.actor)
    } catch (error) {
      if (error instanceof TooLargeError) return refusal(413, 'too_large', error.message)
      if (isScimError(error)) return refusal(error.status, error.code, error.message)
      onError(error)
      return refusal(500, 'internal', 'The list cannot be compared.')
    }
  }
}

/** @throws ScimError */
function readQuery(query: URLSearchParams) {
  const known = new Set<string>(RECONCILE_REASONS)
  const reasons = query
    .getAll('reason')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  const unknown = reasons.find((reason) => !known.has(reason))
  if (unknown !== undefined) throw wrong(`reason must be among ${RECONCILE_REASONS.join(', ')}.`)
  const active = query.get('active')
  if (active !== null && active !== 'true' && active !== 'false')
    throw wrong('active must be true or false.')
  return {
    ...(reasons.length > 0 && { reasons: reasons as ReconcileReason[] }),
    ...(active !== null && { active: active === 'true' }),
    startIndex: wholeNumber(query, 'startIndex', { of: 1, to: MAX_START }),
    count: wholeNumber(query, 'count', { of: 100, to: MAX_COUNT }),
  }
}

/** @throws ScimError */
function wholeNumber(
  query: URLSearchParams,
  name: string,
  { of, to }: { readonly of: number; readonly to: number },
): number {
  const text = query.get(name)
  if (text === null) return of
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= to) return number
  throw wrong(`${name} must be an integer from 1 to ${to}.`)
}

const COLUMNS = [
  'id',
  'userName',
  'externalId',
  'active',
  'reasons',
  'since',
  'lastSeenAt',
  'lastWrittenAt',
  'connectionId',
] as const

function csvAnswer(rows: readonly ReconcileRow[]): Response {
  const lines = rows.map((row) => {
    const cells: Record<(typeof COLUMNS)[number], string | boolean | Date | null> = {
      ...row,
      reasons: row.reasons.map(({ reason }) => reason).join(' '),
      since: row.reasons.map(({ since }) => since?.toISOString() ?? '').join(' '),
    }
    return COLUMNS.map((name) => csvCell(cells[name])).join(',')
  })
  const headers = { 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' }
  return new Response([COLUMNS.join(','), ...lines, ''].join('\r\n'), { headers })
}

/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell(value: string | boolean | Date | null): string {
  const plain = value instanceof Date ? value.toISOString() : String(value ?? '')
  const text = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const MAX_LINK_BYTES = 4_096

/** @throws ScimError */
async function readLink(request: Request): Promise<{ account: string; userName: string }> {
  let text = ''
  for await (const part of textOf(request)) {
    text += part
    if (text.length > MAX_LINK_BYTES) throw wrong('The body is too long.')
  }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw wrong('The body is not JSON.')
  }
  const { account, userName } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (typeof account !== 'string' || account === '') throw wrong('account must be an id.')
  if (typeof userName !== 'string' || userName === '') throw wrong('userName must be a string.')
  return { account, userName }
}

class TooLargeError extends Error {}

function rowsOf(request: Request): AsyncIterable<DirectoryRow> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/json' ? jsonRows(textOf(request)) : csvRows(textOf(request))
}

/** The body in parts, at most 64 MiB. */
async function* textOf({ body }: Request): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let size = 0
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > MAX_BYTES) throw new TooLargeError('The list has more than 64 MiB.')
    yield decoder.decode(part, { stream: true })
  }
  yield decoder.decode()
}

async function* jsonRows(parts: AsyncIterable<string>): AsyncGenerator<DirectoryRow> {
  const texts: string[] = []
  for await (const part of parts) texts.push(part)
  for (const user of usersIn(texts.join(''))) {
    if (typeof user !== 'object' || user === null) throw wrong('Each user must be an object.')
    const { userName, externalId, active } = user as Readonly<Record<string, unknown>>
    for (const [name, value] of Object.entries({ userName, externalId }))
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw wrong(`${name} must be a string.`)
    if (active !== undefined && active !== null && typeof active !== 'boolean')
      throw wrong('active must be a boolean.')
    yield {
      userName: (userName ?? undefined) as string | undefined,
      externalId: (externalId ?? undefined) as string | undefined,
      active: active ?? undefined,
    }
  }
}

function usersIn(text: string): readonly unknown[] {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw wrong('The body is not JSON.')
  }
  const users: unknown = typeof body === 'object' && body !== null && Reflect.get(body, 'users')
  if (Array.isArray(users)) return users as readonly unknown[]
  throw wrong('users must be a list.')
}

const wrong = (message: string): ScimError => new ScimError('invalid_value', message)

const answer = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const refusal = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response => answer(status, { error: { code, message } }, headers)
