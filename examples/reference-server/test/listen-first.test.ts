import { Agent, get, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { closeServer, listenFirst } from '../src/listen-first.ts'

test('a keep-alive connection does not delay stopping the server', async () => {
  const { server, url, mount } = await listenFirst('127.0.0.1', 0)
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
  const agent = new Agent({ keepAlive: true })
  const begun = new Promise<ServerResponse>((resolve) => {
    mount((_, response) => resolve(response))
  })
  const answered = new Promise<number>((resolve) => {
    get(url, { agent }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
  })
  const response = await begun
  const closed = closeServer(server, 120_000)
  // The request ends while the server stops; its connection stays open.
  response.end('done')
  expect(await answered).toBe(200)
  await expect(closed).resolves.toBeUndefined()
  agent.destroy()
})
