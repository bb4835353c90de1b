import { constantTimeEqual, createSystemRuntime, encodeBase64Url, isObject } from '@x/wire'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { UsageError } from '../command/command.ts'
import { DevLog } from './dev-log.ts'

const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@x/flow-tools/package.json')),
  'page',
)
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['index.html', 'text/html'],
  '/page.css': ['page.css', 'text/css'],
  '/page.js': ['page.js', 'text/javascript'],
  '/graph.js': ['graph.js', 'text/javascript'],
  '/session.js': ['session.js', 'text/javascript'],
}
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}
const DEFAULT_PORT = 4321
const MAX_BODY = 1 << 20
const MAX_READERS = 16
/** A reader that falls further behind is cut off, and begins again. */
const MAX_BEHIND = 32 << 20

/** The page of `dev`, for this machine and whoever knows its address. */
export interface DevPage {
  /** With the token that opens it. */
  readonly url: string
  send(message: Readonly<Record<string, unknown>>): void
  close(): void
}

export interface DevPageOptions {
  /** Default: 4321, or a free one if that is taken. */
  readonly port: number | undefined
  /** Called with the input that a person gave in the page. */
  readonly onInput: (input: string) => void
}

/** @throws UsageError if the given port is taken */
export async function openDevPage({ port, onInput }: DevPageOptions): Promise<DevPage> {
  const token = encodeBase64Url(createSystemRuntime().randomBytes(32))
  const log = new DevLog()
  const readers = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const bound = await listen(server, port)
  const hosts = new Set([`127.0.0.1:${bound}`, `localhost:${bound}`])
  const cookie = `x-flow-${bound}`

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const isOwn = hosts.has(headers.host ?? '')
    const isForeign = headers.origin !== undefined && headers.origin !== `http://${headers.host}`
    if (!isOwn || isForeign) return end(response, 403)
    const file = Object.hasOwn(FILES, url) ? FILES[url] : undefined
    if (method === 'GET' && file !== undefined) return sendFile(response, file)
    if (method === 'POST' && url === '/session') {
      if (!isSame(await bodyText(request, 'token'), token)) return end(response, 401)
      response.setHeader('set-cookie', `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict`)
      return end(response, 204)
    }
    if (!isSame(cookieOf(headers.cookie, cookie), token)) return end(response, 401)
    if (method === 'GET' && url === '/events') return follow(response)
    if (method !== 'POST' || url !== '/run') return end(response, 404)
    const input = await bodyText(request, 'input')
    if (input === undefined) return end(response, 400)
    onInput(input)
    return end(response, 204)
  }

  const follow = (response: ServerResponse): void => {
    if (readers.size >= MAX_READERS) return end(response, 429)
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write('retry: 1000\n\n')
    for (const text of ['{"type":"reset"}', ...log.texts()]) response.write(`data: ${text}\n\n`)
    readers.add(response)
    response.on('close', () => readers.delete(response))
  }

  return {
    url: `http://127.0.0.1:${bound}/#${token}`,
    send(message) {
      const text = log.add(message)
      for (const reader of readers) {
        if (reader.writableLength > MAX_BEHIND) reader.destroy()
        else reader.write(`data: ${text}\n\n`)
      }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listen(server: Server, port: number | undefined): Promise<number> {
  const listening = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  try {
    await listening(port ?? DEFAULT_PORT)
  } catch {
    if (port !== undefined) throw new UsageError(`port ${port} cannot be used`)
    await listening(0)
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

async function sendFile(
  response: ServerResponse,
  [name, type]: readonly [string, string],
): Promise<void> {
  const content = await readFile(join(FOLDER, name))
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
}

/** A text of a JSON body; undefined for any other body. */
async function bodyText(request: IncomingMessage, name: string): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    parts.push(part as Buffer)
    size += (part as Buffer).length
    if (size > MAX_BODY) return undefined
  }
  try {
    const json: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'))
    const value = isObject(json) ? json[name] : undefined
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '').split(/; */).find((part) => part.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

function isSame(given: string | undefined, token: string): boolean {
  const encoder = new TextEncoder()
  return given !== undefined && constantTimeEqual(encoder.encode(given), encoder.encode(token))
}
