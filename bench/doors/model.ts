import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A model on loopback that streams as many words as the last number of the question says. */
export async function startStreamingModel(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const words = Number(/(\d+) words(?!.*\d+ words)/s.exec(await text(request))?.[1] ?? 0)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (delta: object, finish: string | null = null): void => {
        const choices = [{ index: 0, delta, finish_reason: finish }]
        response.write(`data: ${JSON.stringify({ id: 'a', model: 'm', choices })}\n\n`)
      }
      for (let n = 1; n <= words; n += 1) send({ content: `w${n} ` })
      send({}, 'stop')
      response.end('data: [DONE]\n\n')
    }
    answer().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
