import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@x/http-adapters/node'
import { expect, test, vi } from 'vitest'

test('OP-12 without onError a failed request is written to the console once', async () => {
  const failure = new Error('no')
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const server = createServer(toNodeListener(() => Promise.reject(failure))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { 'x-request-id': 'r-1' }
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
  expect([response.status, await response.json()]).toEqual([
    500,
    { detail: 'Internal Server Error' },
  ])
  expect(written.mock.calls).toEqual([['GET request r-1 failed:', failure]])
  written.mockRestore()
  server.close()
})
