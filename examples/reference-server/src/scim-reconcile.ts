import { isScimError, ScimError } from '@x/scim-core'
import { compareDirectory, csvRows, type DirectoryRow } from '@x/scim-core/reconcile'
import type { SqlScimStore } from '@x/store-kysely/scim'
import type { AdminAnswer } from './authorize-superuser.ts'

export const RECONCILE_PATH = '/api/v1/scim/reconcile'

/** Maximum bytes of a directory's list. */
const MAX_BYTES = 64 * 1024 * 1024

export interface ScimReconcileOptions {
  readonly store: Pick<SqlScimStore, 'users'>
  /** The tenants named by tokens in the settings; the first one is the default of the query. */
  readonly tenants: readonly string[]
  /** Returns the superuser, or the response for anyone else. */
  readonly authorize: (request: Request) => Promise<object | Response>
  readonly onError: (error: unknown) => void
}

/**
 * Compares the users with the directory's own list, for superusers: a CSV with the columns userName or
 * externalId, and active, or JSON `{"users":[...]}`. Changes nothing.
 */
export function createScimReconcile({
  store,
  tenants,
  authorize,
  onError,
}: ScimReconcileOptions): AdminAnswer {
  return async (request, path) => {
    try {
      const caller = await authorize(request)
      if (caller instanceof Response) return caller
      if (path.replace(/\/$/, '') !== RECONCILE_PATH)
        return refusal(404, 'not_found', 'There is no such page.')
      if (request.method !== 'POST')
        return refusal(405, 'method_not_allowed', 'Send the list with POST.', { allow: 'POST' })
      const tenant = new URL(request.url).searchParams.get('tenant') ?? tenants[0] ?? ''
      if (!tenants.includes(tenant)) return refusal(404, 'not_found', 'There is no such tenant.')
      return answer(200, await compareDirectory({ store, tenant, rows: rowsOf(request) }))
    } catch (error) {
      if (error instanceof TooLargeError) return refusal(413, 'too_large', error.message)
      if (isScimError(error)) return refusal(error.status, error.code, error.message)
      onError(error)
      return refusal(500, 'internal', 'The list cannot be compared.')
    }
  }
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
