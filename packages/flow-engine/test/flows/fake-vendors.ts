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
      const answer = VENDORS.get(seen.url.hostname)?.(seen)
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

const VENDORS = new Map<string, Answer>([
  ['api.openai.com', openAi],
  ['localhost', openAi],
])

/** Further vendors, by host name. */
export function addVendor(host: string, answer: Answer): void {
  VENDORS.set(host, answer)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
