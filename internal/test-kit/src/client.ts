import type { FlowService } from '@x/flow-service'

/** The parts of a request besides its path. */
export interface Sent {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly body?: string | URLSearchParams
}

/** An answer that was read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; undefined where it is none. */
  readonly body: unknown
}

/** Sends requests to a handler, without a port. */
export async function send(
  { handler }: Pick<FlowService, 'handler'>,
  path: string,
  { method, token, headers = {}, json, body }: Sent = {},
): Promise<Answer> {
  const content = json === undefined ? body : JSON.stringify(json)
  const response = await handler(
    new Request(`http://host${path}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The access token of the superuser of a test engine. */
export async function adminToken(engine: Pick<FlowService, 'services'>): Promise<string> {
  const input = { username: 'admin', password: 'admin-pass-1', clientAddress: '' }
  return (await engine.services.login.signIn(input)).accessToken
}
