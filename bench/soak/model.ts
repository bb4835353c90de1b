import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** A model on loopback: refuses those who say `refuse`, and takes its time for those who say `slowly`. */
export async function startModel(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request)
      response.setHeader('content-type', 'application/json')
      if (body.includes('refuse')) {
        response.writeHead(400).end('{"error":{"message":"I will not."}}')
        return
      }
      if (body.includes('slowly')) await setTimeout(300)
      const message = { role: 'assistant', content: 'So says the model.' }
      const usage = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      response.end(
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices,
          usage,
        }),
      )
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
