import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { jsonResponse, type FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { toNodeListener } from '@x/http-adapters/node'
import express from 'express'
import Fastify from 'fastify'
import { reportUsage } from '../lib/report-usage.ts'

const ANSWER = { id: '2819c223-7f76-453a-919d-413861904646', userName: 'bjensen', active: true }
const JSON_TYPE = 'application/json'
const encoder = new TextEncoder()
/** One event of 120 bytes. */
const EVENT = encoder.encode(`data: ${'x'.repeat(112)}\n\n`)

/** The handlers whose cost AD-28 bounds, and a stream of as many events as the query says. */
const handler: FetchHandler = (request) => {
  if (request.method === 'POST') return echo(request)
  if (request.url.includes('/events?')) return events(Number(request.url.split('?')[1]))
  return jsonResponse(request, ANSWER)
}

async function echo(request: Request): Promise<Response> {
  return jsonResponse(request, await request.json(), { status: 201 })
}

function events(count: number): Response {
  let left = count
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(EVENT)
        if (--left === 0) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** The same answers by node:http alone: the bound. */
function raw(message: IncomingMessage, reply: ServerResponse): void {
  if (message.method !== 'POST') return answer(reply, 200, ANSWER)
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => answer(reply, 201, JSON.parse(Buffer.concat(chunks).toString())))
}

function answer(reply: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  reply.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
  })
  reply.end(body)
}

const SERVERS: Record<string, () => RequestListener | Promise<RequestListener>> = {
  raw: () => raw,
  node: () => toNodeListener(handler),
  'express-raw': () => express().use('/', raw) as RequestListener,
  express: () => express().use('/', expressHandler(handler)) as RequestListener,
  fastify: async () => {
    const app = Fastify()
    await app.register(fastifyPlugin(handler))
    await app.ready()
    return (message, reply) => app.routing(message, reply)
  },
}

const [name = ''] = process.argv.slice(2)
const start = SERVERS[name]
if (start === undefined) throw new Error(`No server is called ${name}`)
const server = createServer(await start())
server.listen(0, '127.0.0.1', () => reportUsage((server.address() as AddressInfo).port))
