import {
  createSystemRuntime,
  eventStream,
  formatSseComment,
  formatSseFrame,
  type Runtime,
} from '@x/wire'
import { openStreams } from './open-streams.ts'
import { isSurfaceError } from '../diagnostics/errors.ts'
import { formatLine } from '../message/format-message.ts'
import type { AnyServerMessage } from '../message/any-message.ts'

/** A message in a server-sent event. */
export interface SseItem {
  readonly id?: string
  readonly message: AnyServerMessage
}

/** Options of an SSE body. */
export interface SseResponseOptions {
  readonly signal?: AbortSignal
  /** Idle milliseconds before a comment keeps the connection open. Default: 15000. */
  readonly heartbeatMs?: number
  readonly runtime?: Runtime
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Options of a JSON Lines body. */
export interface JsonLinesResponseOptions {
  readonly signal?: AbortSignal
}

/** Headers of an SSE response. */
export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** Headers of a JSON Lines response. */
export const jsonLinesHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/jsonl; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/**
 * A response that streams messages as server-sent events. Messages are pulled from the source only
 * when the reader has room; if the source fails, the body ends with an `error` event.
 */
export function toSseResponse(
  source: AsyncIterable<SseItem>,
  options: SseResponseOptions = {},
): Response {
  const { signal, heartbeatMs = 15_000, runtime = createSystemRuntime() } = options
  const body = eventStream(source, {
    count: openStreams,
    encode: ({ id, message }) => formatFrame(id, formatLine(message)),
    heartbeat: { text: formatSseComment('ping'), everyMs: heartbeatMs, runtime },
    onError: (error) => formatSseFrame({ event: 'error', data: formatLine(errorBody(error)) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return new Response(body, { headers: { ...sseHeaders, ...options.headers } })
}

/** A response that streams messages as JSON Lines. If the source fails, the body is aborted. */
export function toJsonLinesResponse(
  source: AsyncIterable<AnyServerMessage>,
  options: JsonLinesResponseOptions = {},
): Response {
  const { signal } = options
  const body = eventStream(source, {
    count: openStreams,
    encode: (message) => `${formatLine(message)}\n`,
    ...(signal === undefined ? {} : { signal }),
  })
  return new Response(body, { headers: { ...jsonLinesHeaders } })
}

/** The public form of an error; unexpected errors get a fixed text. */
export function errorBody(error: unknown): { code: string; message: string } {
  if (isSurfaceError(error)) return { code: error.code, message: error.detail }
  return { code: 'internal_error', message: 'An internal error occurred.' }
}

function formatFrame(id: string | undefined, data: string): string {
  // A line break would end the field, and a NUL makes receivers ignore the id.
  return formatSseFrame({ id: id?.replaceAll(/[\r\n\0]/g, ''), data })
}
