import { connect } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { withService, type Service } from '../journeys/service.ts'
import type { Environment } from '../server/start-server.ts'

export * from './beside-health.ts'

/** A request written by hand: its head, and what the sender does about its body. */
export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes that are sent, in pieces, until the server answers or hangs up; none by default. */
  readonly send?: number
}

/** The answer on the socket. */
export interface RawAnswer {
  /** 0: the server hung up without an answer. */
  readonly status: number
  readonly text: string
  /** Milliseconds from the end of the head to the first byte of the answer. */
  readonly ms: number
  readonly sent: number
}

/** A server that says nothing for so long hangs. */
const SHUTDOWN_MS = 10_000
const PIECE = Buffer.alloc(64 * 1024, 'x')

/** Sends a request as no well-behaved client would, and reads what comes back. */
export function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url)
  const { method = 'POST', path, headers = {}, send = 0 } = request
  const chunked = headers['transfer-encoding'] === 'chunked'
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const begun = performance.now()
    const state = { text: '', sent: 0, ms: 0 }
    const end = (): void => {
      socket.destroy()
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(state.text)?.[1] ?? 0)
      resolve({ status, ...state })
    }
    const more = (): void => {
      while (state.text === '' && state.sent < send && !socket.destroyed) {
        state.sent += PIECE.length
        const piece = chunked ? [`${PIECE.length.toString(16)}\r\n`, PIECE, '\r\n'] : [PIECE]
        const free = piece.map((part) => socket.write(part)).every(Boolean)
        if (!free) return void socket.once('drain', more)
      }
    }
    socket.on('error', end).on('close', end).setTimeout(SHUTDOWN_MS, end)
    socket.on('data', (part: Buffer) => {
      if (state.text === '') state.ms = performance.now() - begun
      state.text += part.toString()
      if (isWhole(state.text)) end()
    })
    socket.on('connect', () => {
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      more()
    })
  })
}

/** Tells whether an answer is complete: by its length, or by its last chunk. */
function isWhole(text: string): boolean {
  const [head = '', body] = text.split(/\r\n\r\n(.*)/s)
  if (body === undefined) return false
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length === undefined ? text.endsWith('0\r\n\r\n') : body.length >= Number(length)
}

/** One shipped server for all tests of a file. */
export function useService(environment: Environment): () => Service {
  let service: Service | undefined
  let release = (): void => undefined
  let ended: Promise<unknown> = Promise.resolve()
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      ended = withService(environment, async (started) => {
        service = started
        resolve()
        await new Promise<void>((over) => {
          release = over
        })
      }).catch(reject)
    })
  }, 60_000)
  afterAll(async () => {
    release()
    await ended
  })
  return () => {
    if (service === undefined) throw new Error('The server is not started yet')
    return service
  }
}
