// Runs each night (.ci/night).
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createSurfaceStore } from '@x/surface-protocol'
import { openSurfaceStream } from '@x/surface-protocol/http'
import { inFolder, startServer } from '../server/start-server.ts'
import { besideHealth, HEALTH_NOTED, IN_TIME } from './attack.ts'

/** Client messages that press the button `count` times; 300 fit into a body. */
const presses = (count: number) =>
  Array.from({ length: count }, () => ({
    userAction: {
      name: 'count',
      surfaceId: 'demo',
      sourceComponentId: 'count-button',
      timestamp: '2026-01-05T08:00:00Z',
      context: {},
    },
  }))

const post = (url: string, body: string | ReadableStream, init: object = {}) =>
  fetch(`${url}/surfaces/demo/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...init,
  })

/** A viewer's state when it shows `text`; its first connection may break after some frames. */
async function readUntil(url: string, text: string, breakAfter = Infinity) {
  const store = createSurfaceStore()
  let asked = 0
  let frames = 0
  const stream = openSurfaceStream({
    url: `${url}/surfaces/demo/stream`,
    retryMs: 100,
    async fetch(request) {
      asked += 1
      const response = await fetch(request)
      if (asked > 1 || response.body === null) return response
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const whole = new TextDecoder().decode(chunk)
          for (const frame of whole.split(/(?<=\n\n)/)) {
            if (frames === breakAfter) controller.error(new Error('broken'))
            else controller.enqueue(new TextEncoder().encode(frame))
            frames += 1
          }
        },
      })
      return new Response(response.body.pipeThrough(cut), response)
    },
  })
  for await (const { message } of stream) {
    store.apply(message)
    const view = store.get('demo')
    if (view?.status === 'rendered' && JSON.stringify(view.data).includes(text)) break
  }
  return { store, asked }
}

describe('the demo surface of the shipped server', () => {
  test('AB-5 AB-6 AB-7 AB-51: survives a stalled viewer, late viewers, broken connections and large bodies', () =>
    inFolder(async (folder) => {
      const server = await startServer({ SERVICE_CONFIG_DIR: folder })
      const { url } = server
      try {
        // AB-7: this viewer reads nothing at all.
        const { hostname, port } = new URL(url)
        const stalled = connect(Number(port), hostname).pause()
        stalled.write(
          `GET /surfaces/demo/stream HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: text/event-stream\r\n\r\n`,
        )
        const body = JSON.stringify(presses(300))
        const { result, slowest, grown } = await besideHealth(server, async () => {
          let longest = 0
          for (let n = 0; n < 40; n += 1) {
            const start = performance.now()
            expect((await post(url, body)).status).toBe(202)
            longest = Math.max(longest, performance.now() - start)
          }
          return longest
        })
        // The stalled viewer holds one of them up, for the five seconds of `slowMs`.
        expect(result).toBeLessThan(2 * IN_TIME)
        expect(slowest).toBeLessThan(HEALTH_NOTED)
        expect(grown).toBeLessThan(250)
        stalled.destroy()

        // AB-5: a new viewer after 12,000 messages. AB-6: one whose connection breaks inside the state.
        const text = 'Pressed 12000 times'
        const fresh = await readUntil(url, text)
        for (const cut of [1, 2, 3]) {
          const broken = await readUntil(url, text, cut)
          expect(broken.asked).toBe(2)
          expect(broken.store.get('demo')).toMatchObject({
            status: 'rendered',
            data: fresh.store.get('demo')?.data,
            components: fresh.store.get('demo')?.components,
          })
        }

        // AB-51: 64 KiB, announced or not.
        expect((await post(url, ' '.repeat(65_537))).status).toBe(413)
        const endless = new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
        })
        const refused = await post(url, endless, { duplex: 'half' }).then(
          ({ status }) => status,
          () => 'cut off',
        )
        expect([413, 'cut off']).toContain(refused)
        expect((await post(url, JSON.stringify(presses(1)))).status).toBe(202)
      } finally {
        await server.end('SIGKILL')
      }
    }))
})
