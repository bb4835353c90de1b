import { createHash } from 'node:crypto'

/** A request as the fake vendors saw it. */
export interface SeenRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

type Answer = (request: SeenRequest) => Response | undefined

/** A fetch behind which every vendor of the starter flows answers; pages for all other addresses. */
export function fakeVendors(): { fetch: typeof fetch; requests: SeenRequest[] } {
  const requests: SeenRequest[] = []
  return {
    requests,
    async fetch(input, init) {
      const request = new Request(input, init)
      const text = request.body === null ? '' : await request.text()
      const seen: SeenRequest = {
        url: new URL(request.url),
        method: request.method,
        headers: request.headers,
        body: parsed(text),
      }
      requests.push(seen)
      const host = seen.url.hostname.replace(/^.*\.apps\.astra\./, 'apps.astra.')
      const answer = VENDORS.get(host)?.(seen)
      return answer ?? new Response(PAGE, { headers: { 'content-type': 'text/html' } })
    },
  }
}

const PAGE =
  '<html><head><title>A page</title></head><body><p>Some text of a page.</p></body></html>'
const json = (body: unknown): Response => Response.json(body)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const openAi: Answer = ({ url, body }) => {
  const request = object(body)
  if (url.pathname.endsWith('/embeddings')) {
    const input = Array.isArray(request.input) ? request.input : [request.input]
    const data = input.map((text, index) => ({ index, embedding: vectorOf(textOf(text)) }))
    return json({ data })
  }
  if (!url.pathname.endsWith('/chat/completions')) return undefined
  const message = answerOf(request)
  if (request.stream !== true) {
    return json({ choices: [{ message, finish_reason: 'stop' }], usage: {} })
  }
  const chunk = { choices: [{ delta: message, finish_reason: 'stop' }] }
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

function answerOf(request: Record<string, unknown>): object {
  const forced = object(object(request.tool_choice).function).name
  const [tool] = (Array.isArray(request.tools) ? request.tools : [])
    .map((each) => object(object(each).function))
    .filter(({ name }) => name === forced)
  if (tool !== undefined) {
    const args = JSON.stringify(instance(object(tool.parameters), object(tool.parameters)))
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'c1', function: { name: tool.name, arguments: args } }],
    }
  }
  const schema = object(object(object(request.response_format).json_schema).schema)
  if (Object.keys(schema).length > 0) {
    return { role: 'assistant', content: JSON.stringify(instance(schema, schema)) }
  }
  return { role: 'assistant', content: 'An answer of the model.' }
}

/** Something that fits a JSON schema. */
function instance(schema: Record<string, unknown>, root: Record<string, unknown>): unknown {
  const ref = textOf(schema.$ref).split('/').at(-1) ?? ''
  if (ref !== '') return instance(object(object(root.$defs)[ref]), root)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(object(schema.properties)).map(([name, inner]) => [
          name,
          instance(object(inner), root),
        ]),
      )
    case 'array':
      return [instance(object(schema.items), root)]
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    default:
      return 'text'
  }
}

function vectorOf(text: string): number[] {
  return [...createHash('sha256').update(text).digest().subarray(0, 8)].map((byte) => byte / 255)
}

const assemblyAi: Answer = ({ url, method }) => {
  if (url.pathname.endsWith('/upload')) return json({ upload_url: 'https://cdn.example/a' })
  if (method === 'POST') return json({ id: 'transcript-1', status: 'queued' })
  return json({ id: 'transcript-1', status: 'completed', text: 'What was said.', utterances: [] })
}

const astra: Answer = ({ body, url }) => {
  const command = object(body)
  if ('findCollections' in command) {
    // The address in a file of 1.8 stands for a collection that embeds texts itself.
    const service = url.hostname.startsWith('db-1') ? {} : { service: { provider: 'nvidia' } }
    const vector = { dimension: 8, metric: 'cosine', ...service }
    const lexical = { enabled: true }
    const options = { vector, lexical, rerank: { enabled: true } }
    const collections = [{ name: 'collection', options }]
    return json({ status: { collections } })
  }
  if ('insertMany' in command) return json({ status: { insertedIds: [] } })
  if ('findOne' in command) return json({ data: { document: null } })
  return json({
    data: { documents: [{ _id: '1', content: 'A stored text.', metadata: { n: 1 } }] },
  })
}

const apify: Answer = ({ url, method }) => {
  if (method === 'POST') return json({ data: { id: 'run-1' } })
  if (url.pathname.startsWith('/v2/actor-runs')) {
    return json({ data: { id: 'run-1', status: 'SUCCEEDED', defaultDatasetId: 'set-1' } })
  }
  if (url.pathname.startsWith('/v2/datasets')) return json([{ title: 'An item' }])
  return json({ data: { description: 'An actor.' } })
}

const databases: Answer = () =>
  json([{ id: 'db-1', status: 'ACTIVE', info: { name: 'database', region: 'eu-west-1' } }])

const anthropic: Answer = () =>
  json({
    content: [{ type: 'text', text: 'An answer of the model.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  })

const VENDORS = new Map<string, Answer>([
  ['api.agentql.com', () => json({ data: { products: [] }, metadata: {} })],
  ['api.assemblyai.com', assemblyAi],
  ['api.scrapegraphai.com', () => json({ result: 'An answer.' })],
  ['search.needle.xyz', () => json({ result: [{ content: 'A text.' }] })],
  ['api.apify.com', apify],
  ['api.devops.astra.datastax.com', databases],
  ['apps.astra.datastax.com', astra],
  ['www.googleapis.com', () => json({ items: [] })],
  ['api.anthropic.com', anthropic],
  ['api.openai.com', openAi],
  ['localhost', openAi],
])

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
