import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests of a connection that start in one turn of the event loop. */
const IN_ONE_TURN = 16
/** Started requests of a connection whose responses are not complete; further ones wait. */
const UNANSWERED = 100
/** Requests that wait for such responses; a connection that sends more is closed. */
const WAITING = 1000

/**
 * Starts a request that its client has sent behind others without waiting for their responses (AB-23). Node
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

const pipelines = new WeakMap<Socket, Pipeline>()

/** The pipelined requests of one connection; dropped when all are answered. */
class Pipeline {
  readonly #socket: Socket
  readonly #waiting: Pipelined[] = []
  #startedInTurn = 0
  #unanswered = 0
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
    return this.#startedInTurn < IN_ONE_TURN && this.#unanswered < UNANSWERED
  }

  #start({ reply, start }: Pipelined): void {
    this.#startedInTurn += 1
    this.#unanswered += 1
    reply.once('close', this.#onAnswered)
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
    if (this.#unanswered === 0 && this.#waiting.length === 0) this.#drop()
  }

  /** Reads on, unless requests wait for their turn only: a connection that is not read cannot be seen to end. */
  #read(): void {
    const isBlocked = this.#unanswered >= UNANSWERED
    if (isBlocked && this.#waiting.length > WAITING) return void this.#socket.destroy()
    const isPaused = this.#waiting.length > 0 && !isBlocked
    if (isPaused === this.#isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#socket.pause()
    else this.#socket.resume()
  }

  readonly #onAnswered = (): void => {
    this.#unanswered -= 1
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
