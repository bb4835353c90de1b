/** Asks one server with one key. */
export interface Client {
  readonly url: string
  /**
   * Sends a request and reads its answer; an object goes as JSON.
   * @throws Error naming the request when the status is another than `status`
   */
  ask<T = unknown>(method: string, path: string, options?: AskOptions): Promise<T>
  /** Reads the first piece of a stream and leaves. */
  peek(path: string, headers?: Readonly<Record<string, string>>): Promise<void>
}

export interface AskOptions {
  readonly body?: object | string | FormData
  readonly headers?: Readonly<Record<string, string>>
  /** 200 by default. */
  readonly status?: number
}

/** Longest time of a request: what hangs counts as an error. */
const MAX_MS_LENGTH = 60_000

export function createClient(url: string, key: string): Client {
  const send = async (
    method: string,
    path: string,
    { body, headers = {} }: AskOptions,
    signal: AbortSignal,
  ): Promise<Response> => {
    const isJson = typeof body === 'object' && !(body instanceof FormData)
    return await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      body: body === undefined ? null : isJson ? JSON.stringify(body) : body,
      signal,
    })
  }
  return {
    url,
    async ask<T>(method: string, path: string, options: AskOptions = {}) {
      const response = await send(method, path, options, AbortSignal.timeout(MAX_MS_LENGTH))
      const text = await response.text()
      const { status = 200 } = options
      if (response.status !== status)
        throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
      const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
      return (isJson ? JSON.parse(text) : text) as T
    },
    async peek(path, headers = {}) {
      const leaving = new AbortController()
      const late = AbortSignal.timeout(MAX_MS_LENGTH)
      const response = await send('GET', path, { headers }, AbortSignal.any([leaving.signal, late]))
      if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`)
      const reader = response.body?.getReader()
      const first = await reader?.read()
      if (first?.done !== false) throw new Error(`GET ${path}: the stream was empty`)
      leaving.abort()
      await reader?.cancel().catch(() => undefined)
    },
  }
}
