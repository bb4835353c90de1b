import type { McpService, RedisLists } from '@x/flow-engine'
import type { Named } from './fill-settings.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog.'
const VECTOR = Array.from({ length: 8 }, (_, index) => (index === 0 ? 1 : 0))

type Json = Record<string, unknown>

/** Tool servers that offer every tool that a flow names. */
export function createFakeTools({ tools }: Pick<Named, 'tools'>): McpService {
  return {
    connect: async () => ({
      listTools: async () =>
        [...tools].map((name) => ({ name, inputSchema: { type: 'object', properties: {} } })),
      callTool: async () => ({ content: [{ type: 'text', text: TEXT }] }),
      close: async () => undefined,
    }),
  }
}

/** A Redis without messages. */
export const fakeRedis: RedisLists = {
  connect: async () => ({
    range: async () => [],
    push: async () => undefined,
    close: async () => undefined,
  }),
}

/**
 * A `fetch` that reaches nothing outside: models of all providers answer one sentence, embeddings one vector,
 * pages a short page, and other interfaces an empty JSON list.
 */
export function createFakeWorld(named: Named, asked: string[] = []): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, host } = new URL(request.url)
    const body = asObject(await request.text())
    const model = modelAnswer(host, pathname, body)
    if (model !== null && !/embed|feature-ext|show$|tags$|models$/i.test(pathname))
      asked.push(textsOf(body).join('\n'))
    if (model !== null && body['stream'] === true && !pathname.endsWith('/api/chat'))
      return streamed(model.chunks)
    // One line of JSON is also what the interface of Ollama streams.
    if (model !== null) return Response.json(model.whole)
    const stored = databaseAnswer(host, named)
    if (stored !== null) return Response.json(stored)
    if (isPage(request)) return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
    return Response.json({
      ok: true,
      access_token: 'token of the fake world',
      expires_in: 3600,
      data: [],
      results: [],
      items: [],
      organic: [],
      hits: [],
      result: [],
    })
  }
}

const PAGE = `<!doctype html><title>A page</title><h1>A page</h1><p>${TEXT}</p>`

/** Astra DB has the databases and collections that the flows name. */
function databaseAnswer(host: string, { databases, collections }: Named): unknown {
  if (host === 'api.devops.astra.datastax.com')
    return [...databases].map((name) => ({
      id: 'fake',
      status: 'ACTIVE',
      info: { name, region: 'here' },
    }))
  if (!host.endsWith('.apps.astra.datastax.com')) return null
  const listed = [...collections].map(([name, isAlone]) => ({
    name,
    options: isAlone ? { vector: { service: { provider: 'nvidia' } } } : {},
  }))
  const documents = { documents: [], document: null, nextPageState: null }
  return { status: { collections: listed, ok: 1, insertedIds: [] }, data: documents }
}

/** Everything that a model is told, in order. */
function textsOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string')
    return /^(text|content|system|message|preamble|prompt|arguments|description)$/.test(key)
      ? [value]
      : []
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, key))
  return Object.entries(asRecord(value)).flatMap(([name, one]) =>
    name === 'response_format' ? [] : textsOf(one, name),
  )
}

function isPage({ method, headers }: Request): boolean {
  return method === 'GET' && !(headers.get('accept') ?? '').includes('json')
}

interface ModelAnswer {
  readonly whole: Json
  readonly chunks: readonly Json[]
}

function modelAnswer(host: string, path: string, body: Json): ModelAnswer | null {
  if (path.includes('/feature-extraction')) return alike([VECTOR] as never)
  if (/embed/i.test(path)) return alike(embeddings(host, path, body))
  if (/\/chat\/completions$|\/text\/chat(?:_stream)?$/.test(path))
    return completion(completionMessage(body))
  if (path.endsWith('/v1/messages')) return anthropic()
  if (/:(stream)?generateContent$/i.test(path)) return alike(gemini())
  if (path.endsWith('/api/chat') && host.includes('cohere')) return alike(cohere())
  if (path.endsWith('/api/chat'))
    return alike({ message: { role: 'assistant', content: TEXT }, done: true })
  if (path.endsWith('/v2/chat') || path.endsWith('/v1/chat')) return alike(cohere())
  if (path.endsWith('/api/show'))
    return alike({ capabilities: ['completion', 'tools', 'embedding'] })
  if (path.endsWith('/api/tags') || path.endsWith('/models')) return alike(models())
  return null
}

const alike = (whole: Json): ModelAnswer => ({ whole, chunks: [whole] })

function completion(message: Json): ModelAnswer {
  const head = { id: 'answer', created: 0, model: 'fake' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const delta = { index: 0, delta: message, finish_reason: null }
  return {
    whole: { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
    chunks: [
      { ...head, choices: [delta] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
    ],
  }
}

/** Fills a schema that the answer must have, else a tool that must be called; else it is the sentence. */
function completionMessage(body: Json): Json {
  const format = asRecord(asRecord(body['response_format'])['json_schema'])['schema']
  if (format !== undefined) return { role: 'assistant', content: JSON.stringify(filled(format)) }
  const forced = asRecord(asRecord(body['tool_choice'])['function'])['name']
  const tools = Array.isArray(body['tools'])
    ? body['tools'].map((tool) => asRecord(tool)['function'])
    : []
  const tool = asRecord(tools.find((each) => asRecord(each)['name'] === forced))
  if (typeof forced !== 'string') {
    const asked = JSON.stringify(body['messages'] ?? '')
    return { role: 'assistant', content: /\bjson\b/i.test(asked) ? `{"answer": "${TEXT}"}` : TEXT }
  }
  const call = { name: forced, arguments: JSON.stringify(filled(tool['parameters'])) }
  const calls = [{ index: 0, id: 'call', type: 'function', function: call }]
  return { role: 'assistant', content: null, tool_calls: calls }
}

/** A value of a JSON Schema; references name definitions of the whole schema. */
function filled(schema: unknown, whole = asRecord(schema), depth = 0): unknown {
  const { type, properties, items, enum: choices, $ref: reference } = asRecord(schema)
  if (depth > 20) return TEXT
  if (typeof reference === 'string') {
    const definition = asRecord(whole['$defs'])[reference.replace('#/$defs/', '')]
    return filled(definition, whole, depth + 1)
  }
  if (Array.isArray(choices)) return choices[0]
  if (type === 'array') return [filled(items, whole, depth + 1)]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type !== 'object') return TEXT
  return Object.fromEntries(
    Object.entries(asRecord(properties)).map(([name, each]) => [
      name,
      filled(each, whole, depth + 1),
    ]),
  )
}

function anthropic(): ModelAnswer {
  const content = [{ type: 'text', text: TEXT }]
  const head = { id: 'answer', type: 'message', role: 'assistant', model: 'fake' }
  const usage = { input_tokens: 1, output_tokens: 1 }
  return {
    whole: { ...head, content, stop_reason: 'end_turn', usage },
    chunks: [
      { type: 'message_start', message: { ...head, content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  }
}

function gemini(): Json {
  const content = { role: 'model', parts: [{ text: TEXT }] }
  return { candidates: [{ content, finishReason: 'STOP' }], usageMetadata: { totalTokenCount: 2 } }
}

function cohere(): Json {
  const content = [{ type: 'text', text: TEXT }]
  return {
    id: 'answer',
    text: TEXT,
    message: { role: 'assistant', content },
    finish_reason: 'COMPLETE',
  }
}

function models(): Json {
  const list = [{ id: 'fake', name: 'fake', model: 'fake' }]
  return { object: 'list', data: list, models: list }
}

function embeddings(host: string, path: string, body: Json): Json {
  const inputs = [body['input'], body['texts'], body['requests'], body['inputs']].find(
    Array.isArray,
  )
  const count = inputs?.length ?? 1
  const list = Array.from({ length: count }, () => VECTOR)
  if (host.includes('cohere')) return { embeddings: { float: list } }
  if (path.includes(':batch')) return { embeddings: list.map((values) => ({ values })) }
  if (path.includes(':embed')) return { embedding: { values: VECTOR } }
  return {
    object: 'list',
    data: list.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    embeddings: list,
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }
}

function streamed(chunks: readonly Json[]): Response {
  const lines = chunks.map((chunk) => {
    const name = typeof chunk['type'] === 'string' ? `event: ${chunk['type']}\n` : ''
    return `${name}data: ${JSON.stringify(chunk)}\n\n`
  })
  const isNamed = lines.some((line) => line.startsWith('event:'))
  const text = `${lines.join('')}${isNamed ? '' : 'data: [DONE]\n\n'}`
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

function asObject(text: string): Json {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return {}
  }
}

function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
