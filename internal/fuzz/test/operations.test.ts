import { readFileSync } from 'node:fs'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { describeFlowApi } from '@x/flow-service/openapi'
import { expect, test } from 'vitest'
import {
  hostileString,
  mutated,
  schemaValue,
  type Dice,
  type FuzzCase,
  type JsonSchema,
} from '../src/index.ts'
import { findFaults, NO_FAULTS } from './find-faults.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly { name: string; in: string; schema?: JsonSchema }[]
  readonly body: JsonSchema | null
  readonly media: string
}

interface Document {
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

interface Described {
  readonly parameters?: Operation['parameters']
  readonly requestBody?: { readonly content: Record<string, { schema?: JsonSchema }> }
}

const ECHO = new URL('../../../examples/reference-server/flows/echo.json', import.meta.url)
const echo = JSON.parse(readFileSync(ECHO, 'utf8')) as { data: unknown }

const described = describeFlowApi() as unknown as Document
const schemas = described.components.schemas
const operations: Operation[] = Object.entries(described.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
    const [media, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
    return {
      method: method.toUpperCase(),
      path,
      parameters,
      media: media ?? '',
      body: content?.schema ?? null,
    }
  }),
)

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

/** A feature that is switched off, and an outside service that is not there. */
const EXPECTED: ReadonlySet<number> = new Set([501, 503])

/** A request by the API's own description, some of its parts hostile. */
function request(dice: Dice, known: readonly string[], keys: readonly string[]): FuzzCase {
  const operation = dice.pick(operations)
  const options = { dice, schemas, known }
  const text = (schema: JsonSchema = {}): string => {
    const value = schemaValue(schema, options, 2)
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const path = operation.path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(dice.chance(0.7) ? dice.pick(known) : wellFormed(hostileString(dice))),
  )
  const query = operation.parameters
    .filter((one) => one.in === 'query' && dice.chance(0.4))
    .map(({ name, schema }): [string, string] => [name, wellFormed(text(schema))])
  const search = new URLSearchParams(query).toString()
  const made = operation.body === null ? undefined : schemaValue(operation.body, options)
  // A random object is hardly ever a flow: most `data` is a real one, slightly changed.
  const body =
    isObject(made) && 'data' in made && dice.chance(0.8)
      ? { ...made, data: mutated(echo.data, dice, dice.pick([0, 0.0005, 0.01])) }
      : made
  const key = dice.chance(0.92) ? dice.pick(keys) : hostileString(dice).replaceAll(/[^!-~]/g, '')
  const input: Sent = {
    method: operation.method,
    url: `http://host${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      'x-api-key': key,
      'content-type': dice.chance(0.95) ? operation.media || 'application/json' : 'text/plain',
    },
    body,
  }
  return { label: `${operation.method} ${operation.path}`, input }
}

test(
  'every request is answered in time and without an internal error',
  { timeout: 1_800_000 },
  async () => {
    const errors: unknown[] = []
    const engine = createFlowService({
      store: createMemoryFlowStore(),
      files: createMemoryBlobStore(),
      secretKey: 'a secret key of the tests, long enough',
      passwords: {
        hash: async (password) => `plain$${password}`,
        verify: async (password, hash) => hash === `plain$${password}`,
      },
      services: { fetch: async () => new Response('offline', { status: 503 }) },
      // The cases sign their users in thousands of times.
      settings: { loginRateLimit: false },
      onError: (error) => errors.push(error),
    })
    let seeded = await seed(engine, 0)
    const answers = { all: 0, good: 0 }

    const faults = await findFaults({
      title: 'Operations',
      repeatable: false,
      make: (dice) => request(dice, seeded.known, seeded.keys),
      async run(input) {
        const { method, url, headers, body } = input as Sent
        // The cases delete and block their own users.
        if (answers.all % 150 === 149) seeded = await seed(engine, answers.all)
        const withBody = method !== 'GET' && body !== undefined
        const response = await engine.handler(
          new Request(url, {
            method,
            headers,
            signal: AbortSignal.timeout(10_000),
            ...(withBody ? bodyOf(body, headers) : {}),
          }),
        )
        const text = await readAnswer(response, method)
        answers.all += 1
        if (response.ok) answers.good += 1
        if (response.status >= 500 && !EXPECTED.has(response.status)) {
          throw new Error(`${response.status} ${text.slice(0, 300)} ${String(errors.at(-1))}`)
        }
        if (/\n\s+at .+:\d+:\d+/.test(text)) throw new Error(`A stack trace: ${text.slice(0, 300)}`)
      },
    })
    expect(faults).toEqual(NO_FAULTS)
    expect(errors).toEqual([])
    expect(answers.good / answers.all).toBeGreaterThan(0.15)
  },
)

/** The text of an answer; of a stream that waits for events (GET), what comes first. */
async function readAnswer(response: Response, method: string): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  if (method !== 'GET' || !type.startsWith('text/event-stream')) return response.text()
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Replaces lone surrogates, which have no form in URLs and UTF-8. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')

/** JSON, or the same members as a form or as parts, where the operation reads those. */
function bodyOf(body: unknown, headers: Record<string, string>): RequestInit {
  const members = (): [string, string][] =>
    Object.entries(isObject(body) ? body : { file: body }).map(([name, value]) => [
      wellFormed(name),
      wellFormed(typeof value === 'string' ? value : JSON.stringify(value)),
    ])
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { body: new URLSearchParams(members()) }
  }
  if (!type.startsWith('multipart/')) return { body: JSON.stringify(body) }
  delete headers['content-type']
  const form = new FormData()
  for (const [name, text] of members())
    form.append(name, new Blob([text]), `${text.slice(0, 60)}.txt`)
  return { body: form }
}

/** Two users with keys, a flow each, and words that mean something to the service. */
async function seed(
  engine: ReturnType<typeof createFlowService>,
  round: number,
): Promise<{
  keys: string[]
  known: string[]
}> {
  const keys: string[] = []
  const known = [
    'default',
    'admin',
    'echo',
    'Chat',
    'Basic Prompting',
    'OPENAI_API_KEY',
    'true',
    '0',
  ]
  for (const [username, isSuperuser] of [
    [`admin-${round}`, true],
    [`ada-${round}`, false],
  ] as const) {
    const user = await engine.services.users.create({
      username,
      password: 'a-password-1',
      isActive: true,
      isSuperuser,
    })
    const signedIn = await engine.services.login.signIn({
      username,
      password: 'a-password-1',
      clientAddress: '',
    })
    const call = async (
      method: string,
      path: string,
      body: unknown,
    ): Promise<Record<string, unknown>> => {
      const response = await engine.handler(
        new Request(`http://host/api/v1/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${signedIn.accessToken}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        }),
      )
      return (await response.json()) as Record<string, unknown>
    }
    const key = await call('POST', 'api_key/', { name: 'fuzz' })
    const flow = await call('POST', 'flows/', {
      name: `flow of ${username}`,
      endpoint_name: `flow-${username}`,
      data: { nodes: [], edges: [] },
    })
    keys.push(String(key['api_key']))
    known.push(user.id, String(flow['id']), String(flow['folder_id']), `flow-${username}`)
  }
  return { keys, known }
}
