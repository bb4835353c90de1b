// Runs each night (.ci/night).
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { besideHealth, HEALTH, useService } from './attack.ts'

const MB = 1024 * 1024
const service = useService({ SERVICE_SSRF_ALLOW: '127.0.0.1' })

let server: Server
let sent = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => answer(body, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** Greets as a tool server, then answers with more than memory holds. */
function answer(body: string, response: ServerResponse): void {
  const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
  if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end()
  response.writeHead(200, { 'content-type': 'application/json' })
  if (method === 'initialize') {
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'evil', version: '1' },
    }
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const piece = Buffer.alloc(MB, ' ')
  const more = (): void => {
    if (response.destroyed || sent > 1000 * MB) return void response.end()
    sent += piece.length
    response.write(piece, () => more())
  }
  more()
}

test('AB-44 a tool server that answers with a gigabyte does not exhaust memory', async () => {
  const { port } = server.address() as AddressInfo
  const made = await service().call('POST', '/api/v2/mcp/servers/evil', {
    body: { url: `http://127.0.0.1:${port}/mcp` },
  })
  expect(made.status).toBe(200)
  const { result, slowest, grown } = await besideHealth(service(), () =>
    service().call('GET', '/api/v2/mcp/servers?action_count=true'),
  )
  expect([result.status, result.json()]).toEqual([
    200,
    expect.arrayContaining([expect.objectContaining({ name: 'evil', toolsCount: null })]),
  ])
  expect(sent).toBeGreaterThan(16 * MB)
  expect(sent).toBeLessThan(100 * MB)
  expect(grown).toBeLessThan(200)
  expect(slowest).toBeLessThan(HEALTH)
})
