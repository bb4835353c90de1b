import { Agent, request, type IncomingMessage } from 'node:http'
import { percentile } from './measure.ts'

/** One request that the load repeats. */
export interface LoadRequest {
  /** Default GET. */
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface LoadOptions {
  readonly port: number
  /** Number of requests in all. */
  readonly requests: number
  /** Keep-alive connections, each with one request under way. Default 16. */
  readonly connections?: number
  /** The request, or one for each number from 0. */
  readonly request: LoadRequest | ((index: number) => LoadRequest)
  /** The status every answer must have. Default 200. */
  readonly status?: number
}

export interface LoadResult {
  readonly requests: number
  /** Wall-clock milliseconds of one request. */
  readonly p50: number
  readonly p99: number
}

/** Sends requests over keep-alive connections until all are answered; throws on a wrong status. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, requests, connections = 16, status = 200 } = options
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let next = 0

  const connection = async (): Promise<void> => {
    while (next < requests) {
      const index = next++
      const wanted =
        typeof options.request === 'function' ? options.request(index) : options.request
      const started = performance.now()
      const got = await send(agent, port, wanted)
      if (got !== status) throw new Error(`${wanted.path} answered ${got}, not ${status}`)
      times.push(performance.now() - started)
    }
  }

  try {
    await Promise.all(Array.from({ length: connections }, connection))
  } finally {
    agent.destroy()
  }
  return { requests, p50: percentile(times, 50), p99: percentile(times, 99) }
}

/** Sends one request, reads its answer to the end and gives the status. */
async function send(agent: Agent, port: number, wanted: LoadRequest): Promise<number> {
  const { method = 'GET', path, headers = {}, body } = wanted
  const length: Record<string, string> =
    body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } },
      (incoming: IncomingMessage) => {
        incoming.resume()
        incoming.once('end', () => resolve(incoming.statusCode ?? 0))
        incoming.once('error', reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
