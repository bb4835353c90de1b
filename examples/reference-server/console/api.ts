import type { User } from './page.ts'

/** An error response of the server, with its message. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let token = ''

/**
 * Continues the session of the cookie, or signs in automatically.
 * @returns the user; null if a sign-in is needed
 */
export async function resume(): Promise<User | null> {
  const refreshed = await fetch('/api/v1/refresh', { method: 'POST' })
  const response = refreshed.ok ? refreshed : await fetch('/api/v1/auto_login')
  if (!response.ok) return null
  token = ((await response.json()) as { access_token: string }).access_token
  return await whoami()
}

async function whoami(): Promise<User> {
  return (await (await call('/users/whoami')).json()) as User
}

/** Ends the session, including its cookie. */
export async function signOut(): Promise<void> {
  await call('/logout', { method: 'POST' })
  token = ''
}

/** Signs in. The token stays in memory; the cookie survives a reload. */
export async function signIn(username: string, password: string): Promise<User> {
  const response = await fetch('/api/v1/login', {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  })
  const body = (await checked(response).then((ok) => ok.json())) as { access_token: string }
  token = body.access_token
  return await whoami()
}

/** Calls an operation of the flow API as the signed-in user. Paths are absolute or below `/api/v1`. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  if (typeof init.body === 'string') headers.set('content-type', 'application/json')
  const address = path.startsWith('/api/') ? path : `/api/v1${path}`
  const response = await fetch(address, { ...init, headers })
  // A token expires after an hour, the session later.
  if (response.status !== 401 || path === '/users/whoami' || (await resume()) === null)
    return checked(response)
  headers.set('authorization', `Bearer ${token}`)
  return checked(await fetch(address, { ...init, headers }))
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown }
  throw new ApiError(
    response.status,
    wordsOf(detail) ?? `${response.status} ${response.statusText}`,
  )
}

/** The error of a response: a string, the message of an object, or the first entry of a list. */
function wordsOf(detail: unknown): string | undefined {
  if (typeof detail === 'string') return detail
  const object: unknown = Array.isArray(detail) ? detail[0] : detail
  if (typeof object !== 'object' || object === null) return undefined
  const { message, error, msg } = object as { message?: unknown; error?: unknown; msg?: unknown }
  return [message, error, msg].find((words) => typeof words === 'string')
}
