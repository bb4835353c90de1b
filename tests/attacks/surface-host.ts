import { getEventListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toNodeListener } from '@x/http-adapters/node'
import {
  applyStream,
  createJsonLinesParser,
  createSurfaceStore,
  isSurfaceError,
  parseMessage,
  validateMessage,
  type ServerMessage,
} from '@x/surface-protocol'
import { negotiateCatalog, parseCatalog } from '@x/surface-protocol/catalog'
import { renderSurfaceHtml } from '@x/surface-protocol/html'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  openSurfaceStream,
  toJsonLinesResponse,
} from '@x/surface-protocol/http'
import { createV08Adapter, createV09Adapter } from '@x/surface-protocol/interop'
import { createMetrics, prometheusHandler } from '@x/surface-protocol/metrics'
import { serveHost } from './serve-host.ts'

const linesOf = (body: string): ServerMessage[] =>
  body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ServerMessage]))

/** A message by each of the four ways into the library; how many problems each of them finds, and its cost. */
async function fourWays(line: string) {
  const message = JSON.parse(line) as object
  return [
    await measured(() => createSurfaceStore().apply(message).diagnostics.length),
    await measured(() => validateMessage(message).diagnostics.length),
    await measured(() => streamed(line)),
    await measured(() => parsed(line)),
  ]
}

async function measured(way: () => unknown) {
  const cost = processorTime()
  const problems = await way()
  return { problems, ms: cost() }
}

/** Milliseconds of processor time from here on; what other processes take does not count. */
function processorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

async function streamed(line: string): Promise<number> {
  const source = (async function* () {
    yield `${line}\n`
  })()
  let problems = 0
  for await (const { diagnostics } of applyStream(createSurfaceStore(), source))
    problems += diagnostics.length
  return problems
}

function parsed(line: string): unknown {
  try {
    parseMessage(line)
    return 0
  } catch (error) {
    return isSurfaceError(error) ? error.diagnostics.length : String(error)
  }
}

/** The messages of a body in a new store: how many it takes, and the limits that stop others. */
function apply(body: string) {
  const store = createSurfaceStore()
  const messages = linesOf(body)
  const all = processorTime()
  let slowest = 0
  const results = messages.map((message) => {
    const cost = processorTime()
    const result = store.apply(message)
    slowest = Math.max(slowest, cost())
    return result
  })
  return {
    slowest,
    all: all(),
    applied: results.filter(({ applied }) => applied).length,
    limits: results.flatMap(({ diagnostics }) => diagnostics.map(({ limit }) => limit ?? 'other')),
  }
}

/** A store that outlives the requests, and what the last message was told. */
const kept = createSurfaceStore()
function keep(body: string): readonly unknown[] {
  return linesOf(body).flatMap((message) =>
    kept.apply(message).diagnostics.map(({ limit }) => limit),
  )
}

/** A channel that gets so many messages of a megabyte, and which positions it can still be read from. */
async function fillHistory(body: string) {
  const count = Number(body)
  const channel = createSurfaceChannel({ mirror: false })
  const contents = [{ key: 'k', valueString: 'x'.repeat(1_000_000) }]
  for (let n = 0; n < count; n += 1) {
    await channel.send({ dataModelUpdate: { surfaceId: 's', path: '/d', contents } })
    await nextTurn()
  }
  const isKept = async (behind: number): Promise<boolean> => {
    const after = channel.lastId?.replace(/\d+$/, String(count - behind)) ?? ''
    try {
      for await (const _ of channel.subscribe({ after })) break
      return true
    } catch {
      return false
    }
  }
  return { near: await isKept(20), far: await isKept(100) }
}

/** Takes a client's catalogue, and sends its component a text; whether it fits, or why it is refused. */
function inlineCatalog(body: string): unknown {
  const { pattern, value } = JSON.parse(body) as { pattern: string; value: string }
  const components = { Code: { properties: { value: { type: 'string', pattern } } } }
  try {
    const catalog = negotiateCatalog({
      catalogs: [parseCatalog({ catalogId: 'urn:server', components: {} })],
      acceptsInlineCatalogs: true,
      client: { inlineCatalogs: [{ components }] },
    })
    const code = [{ id: 'c', component: { Code: { value } } }]
    const store = createSurfaceStore({ catalogs: [catalog] })
    return store.apply({ surfaceUpdate: { surfaceId: 's', components: code } }).applied
  } catch (error) {
    return isSurfaceError(error) ? error.code : String(error)
  }
}

/** Converts messages to the other version; what comes of them. */
function convert(body: string) {
  const [first] = body.split('\n', 1)
  const adapter = first?.includes('"version"') === true ? createV08Adapter() : createV09Adapter()
  const given = linesOf(body)
  const cost = processorTime()
  let messages = 0
  for (const message of given) messages += adapter.push(message).length
  const ms = cost()
  const { diagnostics } = adapter
  const limits = diagnostics.map(({ limit }) => limit ?? 'other')
  return { messages, limits: [...new Set(limits)], count: limits.length, ms }
}

/** Shows data of a client in a component of a catalogue of its own. */
function html(body: string): string {
  const catalog = parseCatalog({ catalogId: 'urn:c', components: { Box: {} } })
  const store = createSurfaceStore({ catalogs: [catalog] })
  const box = { id: 'box', component: { Box: { one: { path: '/a' } } } }
  store.apply({ surfaceUpdate: { surfaceId: 's', components: [box] } })
  store.setData('s', '/a', JSON.parse(body) as never)
  store.apply({ beginRendering: { surfaceId: 's', root: 'box', catalogId: 'urn:c' } })
  return renderSurfaceHtml(store, 's')
}

/** Reads the stream of another server until it is given up; how it ended. */
async function view(url: string): Promise<string> {
  try {
    const stream = openSurfaceStream({ url, fetch, retryMs: 0, maxRetries: 6 })
    for await (const _ of stream);
    return 'ended'
  } catch (error) {
    return isSurfaceError(error) ? error.code : String(error)
  }
}

/** Streams under a signal that lives as long as the process; its listeners afterwards. */
async function signals(body: string): Promise<number> {
  const { signal } = new AbortController()
  for (let n = 0; n < Number(body); n += 1) {
    const source = (async function* () {
      yield { deleteSurface: { surfaceId: 's' } } as const
    })()
    await toJsonLinesResponse(source, { signal }).text()
    const endless = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
    await toJsonLinesResponse(endless, { signal }).body?.cancel()
  }
  return getEventListeners(signal, 'abort').length
}

/** Reads JSON lines as their bytes come. */
async function lines(_body: string, message: IncomingMessage) {
  const parser = createJsonLinesParser()
  const cost = processorTime()
  let parts = 0
  let read = 0
  for await (const chunk of message) {
    parts += 1
    read += parser.push(chunk as Buffer).filter(({ error }) => error === undefined).length
  }
  return { parts, read, ms: cost() }
}

const metrics = createMetrics()
const scrape = prometheusHandler(metrics)
const channel = createSurfaceChannel({ metrics })
const stream = createSurfaceHandler({ open: () => channel, metrics })

serveHost(
  {
    fourWays,
    apply,
    keep,
    fillHistory,
    inlineCatalog,
    convert,
    html,
    view,
    signals,
    metrics: async () => (await scrape(new Request('http://host.test/'))).text(),
  },
  { lines },
  toNodeListener(stream),
)
