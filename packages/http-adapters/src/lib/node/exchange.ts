import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'

/** The properties in which frameworks store a parsed body. */
export interface ParsedBody {
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** A request in progress on its socket. */
export class Exchange {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
  /** A body the host has already read. */
  readonly parsed: ParsedBody
  /** Maximum bytes of the body to read. */
  readonly limit: number
  /** True if the body was handed out as a stream, which the response may depend on. */
  bodyStreamTaken = false
  /** True if the connection closes after this response, because too much of the body is unread. */
  closeAfterResponse = false

  constructor(message: IncomingMessage, reply: ServerResponse, parsed: ParsedBody, limit: number) {
    this.message = message
    this.reply = reply
    this.parsed = parsed
    this.limit = limit
  }

  /** The stream of a request in HTTP/2 compatibility mode. */
  get http2(): ServerHttp2Stream | undefined {
    const { message } = this
    return message.httpVersionMajor > 1
      ? (message as unknown as { stream: ServerHttp2Stream }).stream
      : undefined
  }

  isSent(): boolean {
    return this.reply.headersSent
  }

  /** True if the client disconnected before the response was complete. */
  isGone(): boolean {
    return (this.reply.destroyed || this.message.socket.destroyed) && !this.isComplete()
  }

  /** True once everything is written. HTTP/2 also ends the writable side of an aborted stream. */
  isComplete(): boolean {
    return this.reply.writableFinished && this.http2?.aborted !== true
  }

  /** Destroys the connection (HTTP/2: the stream), so that no client takes the response for complete. */
  breakOff(): void {
    // INTERNAL_ERROR of RFC 9113, section 7.
    if (this.http2 !== undefined) this.http2.close(2)
    else this.reply.destroy()
  }
}
