import { createSystemRuntime, isResponse, type Runtime } from '@x/wire'
import { readAdminBody, type AdminBody } from './admin-body.ts'
import { isScimError } from './errors.ts'
import { isSlow } from './slow-body.ts'

/** The caller of an admin API and its tenant. */
export interface AdminCaller {
  readonly tenant: string
  readonly actor: string
}

export interface AdminOptions {
  /** Path of the mount, such as `/admin/scim`. */
  readonly basePath: string
  /** Returns the caller and its tenant; null results in 401. Called again after a slow body. */
  readonly authorize: (
    request: Request,
  ) => AdminCaller | null | Response | Promise<AdminCaller | null | Response>
  readonly onError?: (error: unknown) => void
  /** The clock; the default is the system's. */
  readonly runtime?: Pick<Runtime, 'now'>
}

/** One request with its target and caller. */
export interface AdminCall<Target> {
  readonly target: Target
  readonly tenant: string
  /** First segment of the path below the base; empty at the base itself. */
  readonly id: string
  /** Third segment of the path. */
  readonly part: string
  /** Fifth segment of the path. */
  readonly last: string
  readonly query: URLSearchParams
  readonly body: () => Promise<AdminBody>
}

export type AdminOperation<Target> = (
  call: AdminCall<Target>,
) => Promise<readonly [status: number, body: object | null]>

/** The operations of a path, by method. */
export type AdminOperations<Target> = ReadonlyMap<string, AdminOperation<Target>>

/** The operations of one path, from pairs of method and operation. */
export const adminMethods = <Target>(
  ...entries: readonly (readonly [method: string, operation: AdminOperation<Target>])[]
): AdminOperations<Target> => new Map(entries)

/** Handles JSON requests of a host's settings page within the caller's tenant. Never rejects. */
export function createAdminHandler<Target>(
  { basePath, authorize, onError = () => undefined, runtime = createSystemRuntime() }: AdminOptions,
  target: Target,
  find: (parts: readonly string[]) => AdminOperations<Target> | null,
): (request: Request) => Promise<Response> {
  const base = basePath.replace(/\/$/, '')
  const admit = async (request: Request): Promise<AdminCaller> => {
    const caller = await authorize(request)
    if (isResponse(caller)) throw new Refused(caller)
    if (caller === null) throw new Refused(problem(401, 'unauthorized', 'Sign in first.'))
    return caller
  }
  return async (request) => {
    try {
      const caller = await admit(request)
      const begun = runtime.now()
      const url = new URL(request.url)
      const parts = partsBelow(url.pathname, base)
      const operations = parts && find(parts)
      if (operations === null) return problem(404, 'not_found', 'There is no such page.')
      const operation = operations.get(request.method)
      if (operation === undefined) {
        const allow = [...operations.keys()].join(', ')
        return problem(405, 'method_not_allowed', 'The method is not offered.', { allow })
      }
      const [id = '', , part = '', , last = ''] = parts ?? []
      const body = async (): Promise<AdminBody> => {
        const whole = await readAdminBody(request)
        if (!isSlow(begun, runtime)) return whole
        const { tenant, actor } = await admit(request)
        if (tenant === caller.tenant && actor === caller.actor) return whole
        throw new Refused(problem(401, 'unauthorized', 'Sign in first.'))
      }
      const query = url.searchParams
      const [status, answer] = await operation({
        target,
        tenant: caller.tenant,
        id,
        part,
        last,
        query,
        body,
      })
      return reply(status, answer)
    } catch (error) {
      return failure(error, onError)
    }
  }
}

/** The response to a caller who may not act. */
class Refused extends Error {
  readonly answer: Response

  constructor(answer: Response) {
    super('The caller is refused')
    this.answer = answer
  }
}

function partsBelow(path: string, base: string): readonly string[] | null {
  if (path !== base && !path.startsWith(`${base}/`)) return null
  return path
    .slice(base.length)
    .split('/')
    .filter((part) => part !== '')
}

function failure(error: unknown, onError: (error: unknown) => void): Response {
  if (error instanceof Refused) return error.answer
  if (error instanceof TypeError) return problem(400, 'invalid', error.message)
  if (error instanceof RangeError) return problem(409, 'conflict', error.message)
  if (isScimError(error)) {
    if (error.status === 404) return problem(404, 'not_found', error.detail)
    if (error.status === 409) return problem(409, 'conflict', error.detail)
  }
  onError(error)
  return problem(500, 'internal', 'Internal error')
}

function problem(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return reply(status, { error: { code, message } }, headers)
}

function reply(
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const all = { 'cache-control': 'no-store', ...headers }
  if (body === null) return new Response(null, { status, headers: all })
  return Response.json(body, { status, headers: all })
}
