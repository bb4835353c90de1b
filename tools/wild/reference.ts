import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The file that is given to every file field. */
export const SAMPLE = 'name,age\nAda,36\nGrace,45\n'

type Json = Record<string, unknown>

/** What a flow said, by node and output, and what its models were asked. */
interface Said {
  readonly said: Readonly<Record<string, Json>>
  readonly asked: readonly string[]
}

interface Reference {
  /** Runs a flow with the same faked world; a text is the reason why it cannot. */
  run(data: unknown, input: string): Promise<Said | string>
  close(): void
}

/** The engine that the flows were made for, in a Python that has it. */
export async function startReference(
  python: string,
  world: typeof fetch,
  takeAsked: () => readonly string[],
): Promise<Reference> {
  const server = createServer((incoming, response) => void answer(incoming, response, world))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const script = fileURLToPath(new URL('reference.py', import.meta.url))
  const sample = join(mkdtempSync(join(tmpdir(), 'wild-')), 'sample.csv')
  writeFileSync(sample, SAMPLE)
  const environment = { ...process.env, SAMPLE_FILE: sample }
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'], env: environment })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async run(data, input) {
      takeAsked()
      child.stdin.write(`${JSON.stringify({ data, input, port, seconds: 60 })}\n`)
      const line = await lines.next()
      const asked = takeAsked()
      if (line.done === true) return 'the reference ended'
      const { said, error } = JSON.parse(line.value) as { said?: Said['said']; error?: string }
      return said === undefined ? (error ?? 'no answer') : { said, asked }
    },
    close() {
      child.stdin.end()
      server.close()
    },
  }
}

interface Field {
  value?: unknown
  readonly password?: boolean
  load_from_db?: boolean
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  world: typeof fetch,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const { method = 'GET', headers, url = '/' } = incoming
  const given = await world(`https://${String(headers['x-world-host'])}${url}`, {
    method,
    headers: { accept: headers.accept ?? '*/*' },
    ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
  })
  const type = given.headers.get('content-type') ?? 'text/plain'
  response.writeHead(given.status, { 'content-type': type })
  response.end(Buffer.from(await given.arrayBuffer()))
}

/** A flow with the variables that it names and the keys that it needs, for an engine that has neither. */
export function withKeys(data: unknown, variables: Readonly<Record<string, string>>): unknown {
  const whole = structuredClone(data) as {
    nodes?: readonly { data?: { node?: { template?: Record<string, Field | null> } } }[]
  }
  for (const node of whole.nodes ?? []) {
    for (const field of Object.values(node.data?.node?.template ?? {})) {
      if (typeof field !== 'object' || field === null) continue
      if (field.load_from_db === true && typeof field.value === 'string' && field.value !== '')
        field.value = variables[field.value] ?? 'items'
      if (field.password === true && !field.value) field.value = '(a key)'
      if ('load_from_db' in field) field.load_from_db = false
    }
  }
  return whole
}

/** The values of a response of `/run`, in the form of `Said`. */
export function saidOf(response: string): Said['said'] {
  const { outputs } = JSON.parse(response) as {
    outputs: readonly { outputs: readonly ({ component_id: string; results: Json } | null)[] }[]
  }
  const ends = outputs.flatMap((one) => one.outputs).filter((one) => one !== null)
  return Object.fromEntries(
    ends.map(({ component_id: id, results }) => [
      id,
      Object.fromEntries(Object.entries(results).map(([name, value]) => [name, plain(value)])),
    ]),
  )
}

/** What differs of two runs: texts and data of nodes that both list, and requests of models. */
export function differences(ours: Said, theirs: Said): string[] {
  const nodes = Object.entries(ours.said).flatMap(([id, values]) => {
    const others = theirs.said[id]
    if (others === undefined) return [`${id} ran only here`]
    return Object.entries(values).flatMap(([name, value]) => {
      const [a, b] = [steady(value), steady(plain(others[name]))]
      if (a === b || /"<\w+>"/.test(b)) return []
      return [`${id}.${name}: ${apart(a, b)}`]
    })
  })
  const [own, other] = [ours.asked.map(steady).toSorted(), theirs.asked.map(steady).toSorted()]
  if (own.join('\n') === other.join('\n')) return nodes
  const more = own.filter((one) => !other.includes(one))
  const less = other.filter((one) => !own.includes(one))
  const asked = `asked ${own.length} of ${other.length}: ${apart(more.join('\n'), less.join('\n'))}`
  return [asked, ...nodes]
}

/** The texts and data of a value; what only tells where it came from is left out. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const { text, text_key: key, data } = value as Json
  if (typeof text === 'string' && ('sender' in value || key !== undefined)) return { text }
  if (typeof key === 'string' && typeof data === 'object') return plain(data)
  return value
}

/** Without times, ids and the order of keys. */
function steady(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(sorted(value) ?? null)
  return text
    .replaceAll(
      /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(UTC|Z|[+-]\d\d:?\d\d))?/g,
      '<time>',
    )
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Two texts from a little before the place where they part. */
function apart(a: string, b: string): string {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const from = Math.max(0, at - 40)
  return `${JSON.stringify(a.slice(from, at + 120))} is ${JSON.stringify(b.slice(from, at + 120))} there`
}
