import type { z } from 'zod'
import type { Caller } from '../../services/base/caller.ts'
import type { RunOrigin } from '../../services/base/run-origin.ts'
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
  | 'session'
  | 'guest'
  | 'visitor'
  | 'optional'
  | 'webhook'
  | 'public'

/** The literal part of an operation. */
export interface RouteHead {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters as `{name}`, one whole segment each. */
  readonly path: string
  readonly summary: string
  readonly auth: Auth
  /** Status of success. Default 200. */
  readonly status?: number
  /** Media type of success where it is not `application/json`. */
  readonly produces?: string
  /** Media type of the body where it is not JSON. */
  readonly consumes?: 'form' | 'multipart' | 'bytes'
  /** Bytes of the body where the limit that follows from the rest of the head does not fit. */
  readonly maxBody?: number
  readonly deprecated?: boolean
  /** The answer is compressed for clients that accept it. */
  readonly gzip?: boolean
  /** The answer to whatever was thrown, where it is not `{"detail"}`. */
  readonly answerError?: (
    request: Request,
    error: unknown,
    options: AnswerErrorOptions,
  ) => Promise<Response>
  /** Checks of the head of a request, before credentials are looked at. */
  readonly before?: (headers: Headers, url: URL, settings: FlowSettings) => void
  /** How its calls are recorded (OP-11). */
  readonly audit?: AuditRule
  /** Looks at the JSON of the body before it is validated; what it throws is the answer. */
  readonly screen?: (body: unknown) => void
  /** Checks after credentials and before anything of path, query and body is looked at. */
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
  /** What the runs and jobs of this request are told of it (DR-70). */
  readonly origin: RunOrigin
  readonly params: P
  readonly query: Q
  readonly body: B
  /** Filled in by operations whose record needs more than their parameters. */
  readonly notes: AuditNotes
  /** The body as bytes, read once. */
  readonly bytes: () => Promise<Uint8Array>
  /** The part `file` of a multipart body. */
  readonly upload: (options?: UploadOptions) => Promise<UploadedFile>
}

/** The result of a handler: a value of the output schema, JSON text, or a complete response. */
export type Reply<T> = T | Response | JsonText | Promise<T | Response | JsonText>

/** JSON that is already text, sent as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** One operation, with the types of its parts erased. */
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

/** A handler without output schema may give anything that becomes JSON. */
type Answer<Schema extends z.ZodType | undefined> = Schema extends z.ZodType
  ? z.input<Schema>
  : unknown

/** Checks the parts of one operation against each other; nothing of that check outlives the call. */
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
