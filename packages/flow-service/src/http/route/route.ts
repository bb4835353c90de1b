import type { z } from 'zod'
import type { Caller } from '../../services/base/caller.ts'
import type { RunOrigin } from '../../services/runs/run-origin.ts'
import type { FlowServices } from '../../services/services.ts'
import type { AuditNotes, AuditRule } from './audit-rule.ts'
import type { HostContext } from '../../options.ts'
import type { FlowSettings } from '../../settings.ts'
import type { UploadedFile, UploadOptions } from '../request/request-body.ts'

/**
 * The credentials an operation takes.
 * - `none`: no credentials.
 * - `user`: an access token or an API key.
 * - `superuser`: the same, of a superuser.
 * - `key`: an API key only.
 * - `bearer-key`: an API key only, also as a Bearer token.
 * - `openai`: as `user`, and an API key also as a Bearer token.
 * - `mcp`: as `openai`; the first credential found decides alone.
 * - `chat`: an access token or an API key in a header, or the access token in its cookie from the server's own
 *   pages; all refusals are 401. Where the door takes visitors, other clients are anonymous.
 * - `agent`: as `chat`, without the cookie.
 * - `session`: as `user`, or the access token in its cookie.
 * - `guest`: as `user`, or an anonymous client with a `client_id` cookie.
 * - `visitor`: as `guest` if `publicBuildReaders` is on, else as `user`.
 * - `optional`: as `user`; other clients are anonymous.
 * - `webhook`, `public`: the service decides which credentials the flow needs.
 */
export type Auth =
  | 'none'
  | 'user'
  | 'superuser'
  | 'key'
  | 'bearer-key'
  | 'openai'
  | 'mcp'
  | 'chat'
  | 'agent'
  | 'session'
  | 'guest'
  | 'visitor'
  | 'optional'
  | 'webhook'
  | 'public'

/** The declarative part of an operation. */
export interface RouteHead {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are written `{name}` and match one segment each. */
  readonly path: string
  readonly summary: string
  readonly auth: Auth
  /** Status of a successful response. Default 200. */
  readonly status?: number
  /** Media type of a successful response, unless it is `application/json`. */
  readonly produces?: string
  /** Media type of the body, unless it is JSON. */
  readonly consumes?: 'form' | 'multipart' | 'bytes'
  /** Describes a JSON body that the operation reads and checks by itself. */
  readonly describedBody?: z.ZodType
  /** Maximum bytes of the body, if it differs from the derived limit. */
  readonly maxBody?: number
  readonly deprecated?: boolean
  /** The response may be as long as a flow: a few are prepared at once for each client. */
  readonly isLong?: boolean
  /** Compress the response for clients that accept it. */
  readonly gzip?: boolean
  /** Creates the error response, unless it is `{"detail"}`. */
  readonly answerError?: (
    request: Request,
    error: unknown,
    options: AnswerErrorOptions,
  ) => Promise<Response>
  /** Checks the request head before credentials are checked. */
  readonly before?: (headers: Headers, url: URL, settings: FlowSettings) => void
  /** How its calls are recorded. */
  readonly audit?: AuditRule
  /** Checks the JSON body before validation; errors it throws are the response. */
  readonly screen?: (body: unknown) => void
  /** Checks after authentication, before path, query and body are parsed. */
  readonly guard?: (call: GuardCall) => void | Promise<void>
}

/** Context for the response to an error. */
export interface AnswerErrorOptions {
  /** Reports unexpected errors to the host. */
  readonly report: (error: unknown) => void
  readonly services: FlowServices
}

/** The arguments of a guard. */
export interface GuardCall {
  readonly services: FlowServices
  readonly caller: Caller
}

/** One request to one operation. */
export interface Call<P, Q, B> extends GuardCall {
  readonly request: Request
  readonly url: URL
  readonly context: HostContext
  readonly signal: AbortSignal
  /** Identifies the request to its runs and jobs. */
  readonly origin: RunOrigin
  readonly params: P
  readonly query: Q
  readonly body: B
  /** Filled in by operations whose audit record needs more than their parameters. */
  readonly notes: AuditNotes
  /** As `bytes`, for an operation with a limit and refusals of its own: see `RequestBody`. */
  readonly bytesWithin: (most: number) => Promise<Uint8Array>
  /** The body as bytes, read once. */
  readonly bytes: () => Promise<Uint8Array>
  /** The part `file` of a multipart body. */
  readonly upload: (options?: UploadOptions) => Promise<UploadedFile>
}

/** The result of a handler: a value of the output schema, JSON text, or a complete response. */
export type Reply<T> = Answered<T> | Promise<Answered<T>>
type Answered<T> = T | Response | JsonText | JsonParts

/** Serialised JSON, sent unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Serialised JSON that is read in parts while it is sent, because it may be longer than memory. */
export class JsonParts {
  readonly parts: AsyncIterable<string>

  constructor(parts: AsyncIterable<string>) {
    this.parts = parts
  }
}

/** An operation with erased types. */
export interface Route extends RouteHead {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly output?: z.ZodType
  handle(call: Call<unknown, unknown, unknown>): unknown
}

type Parsed<Schema extends z.ZodType | undefined> = Schema extends z.ZodType
  ? z.output<Schema>
  : undefined

/** A handler without an output schema may return any JSON value. */
type Answer<Schema extends z.ZodType | undefined> = Schema extends z.ZodType
  ? z.input<Schema>
  : unknown

/** Type-checks the parts of an operation against each other; has no effect at run time. */
export function route<
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  O extends z.ZodType | undefined = undefined,
>(
  operation: RouteHead & { params?: P; query?: Q; body?: B; output?: O },
  handle: (call: Call<Parsed<P>, Parsed<Q>, Parsed<B>>) => Reply<Answer<O>>,
): Route {
  return { ...operation, handle } as unknown as Route
}
