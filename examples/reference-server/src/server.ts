import { createServer, type Server } from 'node:http'

/** The reference server: every package of this workspace behind one listener. */
export function createReferenceServer(): Server {
  return createServer((message, reply) => {
    reply.writeHead(message.url === '/health' ? 200 : 404, { 'content-type': 'application/json' })
    reply.end(message.url === '/health' ? '{"status":"ok"}' : '{"detail":"Not Found"}')
  })
}
