import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests of a connection that start in one turn of the event loop. */
const IN_ONE_TURN = 16
/** Such requests of all connections, which share them evenly; each connection starts at least one. */
const OF_ALL_IN_ONE_TURN = 64
/** Started requests of a connection whose responses are not complete; further ones wait. */
const UNANSWERED = 100
/** Bytes of responses waiting until the client has read earlier ones; above, no request starts. */
const BUFFERED = 256 * 1024
/** Requests that wait for such responses; a connection that sends more is closed. */
const WAITING = 1000

/**
 * Starts a request that its client has sent behind others without waiting for their responses. Node
 * parses thousands of them from one read; they start in order, a few per turn of the event loop, so that other
 * connections are served meanwhile. Until then, the connection is not read.
 */
export function startInTurn(socket: Socket, reply: ServerResponse, start: () => void): void {
  let pipeline = pipelines.get(socket)
  if (pipeline === undefined) pipelines.set(socket, (pipeline = new Pipeline(socket)))
  pipeline.add({ reply, start })
}

interface Pipelined {
  readonly reply: ServerResponse
  readonly start: () => void
}

const pipelines = new Map<Socket, Pipeline>()

function roomInOneTurn(): number {
  return Math.min(IN_ONE_TURN, Math.max(1, Math.floor(OF_ALL_IN_ONE_TURN / pipelines.size)))
}

/** The pipelined requests of one connection; dropped when all are answered. */
class Pipeline {
  readonly #socket: Socket
  readonly #waiting: Pipelined[] = []
  readonly #unanswered = new Set<ServerResponse>()
  #startedInTurn = 0
  #isScheduled = false
  #isPaused = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('resume', this.#onResume).on('close', this.#onClose)
  }

  add(request: Pipelined): void {
    if (this.#waiting.length === 0 && this.#hasRoom()) return this.#start(request)
    this.#waiting.push(request)
    this.#read()
  }

  #hasRoom(): boolean {
    return this.#startedInTurn < roomInOneTurn() && !this.#isBlocked()
  }

  /** True while too many responses, or too many bytes of them, wait for the client to read. */
  #isBlocked(): boolean {
    if (this.#unanswered.size >= UNANSWERED) return true
    let bytes = 0
    for (const { writableLength } of this.#unanswered) bytes += writableLength
    return bytes > BUFFERED
  }

  #start({ reply, start }: Pipelined): void {
    this.#startedInTurn += 1
    this.#unanswered.add(reply)
    reply.once('close', () => this.#onAnswered(reply))
    this.#schedule()
    start()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isScheduled = false
    this.#startedInTurn = 0
    while (this.#hasRoom()) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#start(next)
    }
    this.#read()
    if (this.#unanswered.size === 0 && this.#waiting.length === 0) this.#drop()
  }

  /** Resumes reading unless requests wait only for their turn. The end of an unread connection goes unnoticed. */
  #read(): void {
    const isBlocked = this.#isBlocked()
    if (isBlocked && this.#waiting.length > WAITING) return void this.#socket.destroy()
    const isPaused = this.#waiting.length > 0 && !isBlocked
    if (isPaused === this.#isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#socket.pause()
    else this.#socket.resume()
  }

  #onAnswered(reply: ServerResponse): void {
    this.#unanswered.delete(reply)
    this.#schedule()
  }

  /** Node resumes the connection after each response. */
  readonly #onResume = (): void => {
    if (this.#isPaused) this.#socket.pause()
  }

  readonly #onClose = (): void => {
    this.#waiting.length = 0
    this.#drop()
  }

  #drop(): void {
    this.#socket.off('resume', this.#onResume).off('close', this.#onClose)
    pipelines.delete(this.#socket)
  }
}
