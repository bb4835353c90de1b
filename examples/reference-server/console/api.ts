/** A refusal of the server, with its own words. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let token = ''

/** Signs in; the token stays in this page only. */
export async function signIn(username: string, password: string): Promise<void> {
  const response = await fetch('/api/v1/login', {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  })
  const body = (await checked(response).then((ok) => ok.json())) as { access_token: string }
  token = body.access_token
}

/** Calls an operation of the flow API as the user who signed in. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  if (typeof init.body === 'string') headers.set('content-type', 'application/json')
  return checked(await fetch(`/api/v1${path}`, { ...init, headers }))
}

/** Lists resources of the directory with its own token. */
export async function listScim<T>(path: string, scimToken: string): Promise<readonly T[]> {
  const response = await checked(
    await fetch(`/api/v1/scim/v2${path}`, { headers: { authorization: `Bearer ${scimToken}` } }),
  )
  return ((await response.json()) as { Resources: T[] }).Resources
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown }
  throw new ApiError(
    response.status,
    typeof detail === 'string' ? detail : `${response.status} ${response.statusText}`,
  )
}
