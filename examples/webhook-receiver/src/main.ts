import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { verifyWebhook, WebhookSignatureError } from '@x/scim-core/outbound'

const secret = (process.env['WEBHOOK_SECRET'] ?? '').split(' ').filter((one) => one !== '')
const MAX_BYTES = 2 * 1024 * 1024
const REMEMBERED = 100_000

/** Ids of processed events, oldest first. With a database, use a unique index instead. */
const seen = new Set<string>()

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (Number(request.headers['content-length'] ?? MAX_BYTES + 1) > MAX_BYTES) {
    response.writeHead(413).end()
    return
  }
  try {
    const headers = new Headers(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
    const { id, type, data } = verifyWebhook({ secret, headers, body: await text(request) })
    if (!seen.has(id)) {
      seen.add(id)
      const [oldest] = seen
      if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest)
      console.log(`${type} ${String(data['id'])}`)
    }
    response.writeHead(204).end()
  } catch (error) {
    // Responses other than 2xx are retried. Investigate invalid signatures.
    console.error(error instanceof WebhookSignatureError ? `refused: ${error.code}` : error)
    response.writeHead(error instanceof WebhookSignatureError ? 400 : 500).end()
  }
}

const server = createServer((request, response) => void receive(request, response))

server.listen(Number(process.env['PORT'] ?? 3001), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
