export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  /** Parsed JSON, else the text; undefined without a body. */
  readonly body: unknown
}

export type ScriptedAnswer = Response | Error | ((request: SentRequest) => Response | Error)

/** A fetch that gives the answers in order and keeps what it was asked; an Error is a lost connection. */
export function scriptedFetch(...answers: ScriptedAnswer[]): {
  readonly fetch: typeof globalThis.fetch
  readonly requests: SentRequest[]
} {
  const requests: SentRequest[] = []
  return {
    requests,
    async fetch(input, init) {
      const request = await readRequest(new Request(input, init))
      requests.push(request)
      init?.signal?.throwIfAborted()
      const next = answers.shift()
      const answer = typeof next === 'function' ? next(request) : next
      if (answer instanceof Error) throw new TypeError('fetch failed', { cause: answer })
      return answer ?? new Response('nothing scripted', { status: 599 })
    },
  }
}

export function jsonAnswer(body: unknown, init?: ResponseInit): Response {
  return Response.json(body, init)
}

export function textAnswer(body: string, type: string, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': type } })
}

async function readRequest(request: Request): Promise<SentRequest> {
  const text = request.body === null ? undefined : await request.text()
  return {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(request.headers),
    body: text === undefined ? undefined : parse(text),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
