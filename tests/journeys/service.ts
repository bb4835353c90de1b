import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type Environment, type Started } from '../server/start-server.ts'

const KEY = /^API key: (\S+) \(shown once\)$/m

/** The shipped server over real HTTP, with the API key of its first superuser. */
export interface Service {
  readonly url: string
  /** Id of the running process. */
  readonly pid: number
  readonly key: string
  /** Config directory of the server, removed after the journey. */
  readonly folder: string
  /** Everything the running process has printed. */
  output(): string
  /** Sends a request; an object body goes as JSON, anything else as it is. Default key: the superuser's. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Ends the process and starts it again on the same data, on another port. */
  restart(options?: { signal?: NodeJS.Signals; environment?: Environment }): Promise<void>
}

export interface CallOptions {
  readonly body?: unknown
  /** `null` sends no key. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** An answer that is read whole. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON. @throws SyntaxError when it is none */
  json(): unknown
}

/** A service that one file of journeys shares. */
export interface SharedService {
  readonly service: Service
  /** Stops the server and removes its folder. */
  readonly end: () => Promise<void>
}

/** Starts the shipped server in a new folder, walks the journey, and leaves nothing behind. */
export async function withService<T>(
  environment: Environment,
  walk: (service: Service) => Promise<T>,
): Promise<T> {
  const { service, end } = await startService(environment)
  try {
    return await walk(service)
  } finally {
    await end()
  }
}

/** Starts the shipped server in a new folder; the caller ends it. */
export async function startService(environment: Environment): Promise<SharedService> {
  const folder = await mkdtemp(join(tmpdir(), 'journey-'))
  const base = { SERVICE_CONFIG_DIR: folder, ...environment }
  let server: Started = await startServer(base)
  const key = KEY.exec(server.output())?.[1] ?? (await makeKey(server.url, environment))
  const service: Service = {
    get url() {
      return server.url
    },
    get pid() {
      return server.pid
    },
    key,
    folder,
    output: () => server.output(),
    call: (method, path, options) => call(`${server.url}${path}`, method, { key, ...options }),
    async restart({ signal = 'SIGTERM', environment: changed = {} } = {}) {
      await server.end(signal)
      server = await startServer({ ...base, ...changed })
    },
  }
  return {
    service,
    async end() {
      await server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function call(url: string, method: string, options: CallOptions): Promise<Answer> {
  const { body, key = null, headers = {}, signal } = options
  const raw = body === undefined || body instanceof FormData || typeof body === 'string'
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === null ? {} : { 'x-api-key': key }),
      ...(raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  }
}

/** A key of the superuser whose password the environment has; empty without one. */
async function makeKey(url: string, environment: Environment): Promise<string> {
  const { SERVICE_SUPERUSER: username = 'admin', SERVICE_SUPERUSER_PASSWORD: password } =
    environment
  if (password === undefined) return ''
  const body = new URLSearchParams({ username, password })
  const signedIn = await fetch(`${url}/api/v1/login`, { method: 'POST', body })
  const { access_token: token } = (await signedIn.json()) as { access_token: string }
  const made = await fetch(`${url}/api/v1/api_key/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"first start"}',
  })
  return ((await made.json()) as { api_key: string }).api_key
}
