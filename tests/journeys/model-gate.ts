import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A model server that answers nothing to those who say `wait`, refuses those who say `refuse`, and asks
 * another one for everything else.
 */
export interface Gate {
  readonly url: string
  /** Open connections that wait for an answer. */
  readonly waiting: number
  /** Connections that were closed by the one who waited. */
  readonly left: number
  close(): void
}

export async function startGate(model: string): Promise<Gate> {
  const seen = { waiting: 0, left: 0 }
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      if (body.includes('"wait"')) {
        seen.waiting += 1
        response.on('close', () => {
          seen.waiting -= 1
          seen.left += 1
        })
        return
      }
      if (body.includes('"refuse"')) {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end('{"error":{"message":"I will not."}}')
        return
      }
      const answer = await fetch(`${new URL(model).origin}${request.url ?? '/'}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const type = answer.headers.get('content-type') ?? ''
      response.writeHead(answer.status, { 'content-type': type })
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    })().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get waiting() {
      return seen.waiting
    },
    get left() {
      return seen.left
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
