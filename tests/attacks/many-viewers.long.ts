// Runs each night (.ci/night).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startService } from '../journeys/service.ts'
import { besideHealth, HEALTH_NOTED } from './attack.ts'

const VIEWERS = 2000
const PRESSES = 100

/** A body that presses the button so often. */
const presses = JSON.stringify(
  Array.from({ length: PRESSES }, () => ({
    userAction: {
      name: 'count',
      surfaceId: 'demo',
      sourceComponentId: 'count-button',
      timestamp: '2026-01-05T08:00:00Z',
      context: {},
    },
  })),
)

/** A viewer that reads everything and keeps the end of it. */
async function view(url: string): Promise<{ socket: Socket; last: () => string }> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (part: Buffer) => (text = (text + part.toString()).slice(-400)))
  socket.write(
    `GET /surfaces/demo/stream HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`,
  )
  await once(socket, 'data')
  return { socket, last: () => text }
}

test(
  'AB-14: sending a hundred messages to two thousand viewers does not block the event loop',
  { timeout: 240_000 },
  async () => {
    const { service, end } = await startService({})
    const viewers: Awaited<ReturnType<typeof view>>[] = []
    try {
      for (let n = 0; n < VIEWERS / 50; n += 1) {
        viewers.push(...(await Promise.all(Array.from({ length: 50 }, () => view(service.url)))))
      }
      const { result, slowest } = await besideHealth(service, () =>
        service.call('POST', '/surfaces/demo/events', {
          key: null,
          headers: { 'content-type': 'application/json' },
          body: presses,
        }),
      )
      expect(result.status).toBe(202)
      // All of it without a turn took ten seconds.
      expect(slowest).toBeLessThan(HEALTH_NOTED)
      await expect
        .poll(
          () => viewers.filter(({ last }) => last().includes(`Pressed ${PRESSES} times`)).length,
          {
            timeout: 60_000,
            interval: 500,
          },
        )
        .toBe(VIEWERS)
    } finally {
      for (const { socket } of viewers) socket.destroy()
      await end()
    }
  },
)

test('AB-14: viewers beyond the limit are refused until one leaves', async () => {
  const { service, end } = await startService({ SERVICE_SURFACE_MAX_VIEWERS: '3' })
  const ask = () =>
    fetch(`${service.url}/surfaces/demo/stream`, { headers: { accept: 'text/event-stream' } })
  const viewers = await Promise.all([view(service.url), view(service.url), view(service.url)])
  try {
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.json()).toMatchObject({ error: { code: 'limit_exceeded' } })
    expect(service.output()).not.toContain('"level":"error"')
    viewers[0]?.socket.destroy()
    await expect
      .poll(async () => {
        const answer = await ask()
        await answer.body?.cancel()
        return answer.status
      })
      .toBe(200)
  } finally {
    for (const { socket } of viewers) socket.destroy()
    await end()
  }
})
