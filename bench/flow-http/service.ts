import type { ServerProcess } from '../lib/server-process.ts'

export const PASSWORD = 'bench-pass-1'

/** A flow as the editor saves it. */
export interface SavedFlow {
  readonly data: { readonly nodes: readonly SavedNode[] }
}

interface SavedNode {
  readonly data: { readonly type: string; node: { template: Record<string, unknown> } }
}

/** A service that runs flows, with what a client needs to ask it. */
export interface Service {
  readonly server: ServerProcess
  readonly token: string
  readonly key: string
  readonly flowId: string
}

/** Signs in and makes a key. */
export async function signIn(port: number): Promise<Pick<Service, 'token' | 'key'>> {
  const signedIn = await fetch(`http://127.0.0.1:${port}/api/v1/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
  })
  const { access_token: token } = await read<{ access_token: string }>(signedIn)
  const { api_key: key } = await ask<{ api_key: string }>(port, '/api_key/', token, {
    name: 'bench',
  })
  return { token, key }
}

/** Asks the API: a POST where a body is given. */
export async function ask<Answer>(
  port: number,
  path: string,
  token: string,
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return read(await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers, ...posted }))
}

async function read<Answer>(answer: Response): Promise<Answer> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}
