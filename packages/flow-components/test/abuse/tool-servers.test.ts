import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { connectHttpMcp } from '../../src/built-in/models-and-agents/mcp-http.ts'

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly cursor?: string }
}

/** A tool server of an attacker: what it answers to `tools/list` and `tools/call`. */
type Answers = (asked: Asked, response: ServerResponse) => unknown

let server: Server | undefined
afterEach(async () => {
  await new Promise((resolve) => {
    server?.close(resolve)
    server?.closeAllConnections()
  })
})

const TOOL = { name: 't', inputSchema: { type: 'object' } }

async function connect(answers: Answers) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const asked = JSON.parse(await text(request)) as Asked
    if (asked.id === undefined) return void response.writeHead(202).end()
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'evil', version: '1' },
    }
    const result = asked.method === 'initialize' ? hello : answers(asked, response)
    if (result === undefined) return
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))
  }
  server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return await connectHttpMcp(
    { url: `http://127.0.0.1:${port}/mcp` },
    { fetch, signal: AbortSignal.timeout(15_000) },
  )
}

const signal = AbortSignal.timeout(60_000)

describe('AB-44 limits on answers of external tool servers', () => {
  test('at most 100 pages of an endless tool list are read', async () => {
    let pages = 0
    const client = await connect(() => ({ tools: [], nextCursor: String((pages += 1)) }))
    expect(await client.listTools()).toEqual([])
    expect(pages).toBe(100)
  })

  test('a pattern in an output schema is never executed', async () => {
    const outputSchema = {
      type: 'object',
      properties: { x: { type: 'string', pattern: '^(a+)+$' } },
    }
    const client = await connect(({ method }) =>
      method === 'tools/list'
        ? { tools: [{ ...TOOL, outputSchema }] }
        : { content: [], structuredContent: { x: `${'a'.repeat(40)}!` } },
    )
    expect(await client.listTools()).toEqual([TOOL])
    const result = await client.callTool('t', {}, { signal })
    expect(result.structuredContent).toEqual({ x: `${'a'.repeat(40)}!` })
  })

  test.each<[string, string, () => string, RegExp]>([
    ['an answer', 'application/json', () => ' '.repeat(17 * 2 ** 20), /answer bytes/],
    ['an event', 'text/event-stream', () => `data: ${'x'.repeat(9 * 2 ** 20)}`, /event length/],
    ['nesting', 'application/json', () => '['.repeat(100_000), /nested too deeply/],
    ['nesting of an event', 'text/event-stream', () => `data: ${'['.repeat(1e5)}\n\n`, /deeply/],
    ['values', 'application/json', () => `[${'0,'.repeat(1_000_001)}0]`, /1000000 values/],
    [
      'parts of a result',
      'application/json',
      () => `{"jsonrpc":"2.0","id":1,"result":{"content":[${'{},'.repeat(20_000)}{}]}}`,
      /more than 10000 items/,
    ],
  ])('%s over the limit fails the call', async (_name, type, body, told) => {
    const client = await connect((_asked, response) => {
      response.writeHead(200, { 'content-type': type })
      response.end(body())
      return undefined
    })
    const isStream = type === 'text/event-stream'
    const timeoutMs = isStream ? 1_000 : 15_000
    const answered = client.callTool('t', {}, { signal, timeoutMs })
    await expect(answered).rejects.toThrow(isStream ? /./ : told)
    await client.close()
  })

  test('events with comments, ids, names and several data lines are parsed', async () => {
    const client = await connect(({ id }, response) => {
      const result = { content: [{ type: 'text', text: 'a\nb' }] }
      const json = JSON.stringify({ jsonrpc: '2.0', id, result }, null, 1)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`: hello\nid: 7\nevent: message\ndata: ${json.replaceAll('\n', '\ndata: ')}\n\n`)
      return undefined
    })
    const { content } = await client.callTool('t', {}, { signal })
    expect(content).toEqual([{ type: 'text', text: 'a\nb' }])
  })
})
