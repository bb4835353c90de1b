import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { redact } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { answerText, RequestError, sendRequest, type Answer } from '../../web/send-request.ts'

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 60_000
const MAX_PAUSE_MS = 30_000
const FURTHER_TRIES = 2

/** A request to a vendor's API. */
export interface VendorRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; bytes and forms are sent unchanged. */
  readonly body?: unknown
  /**
   * Retries after 429, 5xx and lost connections. Default true; set false for writes without an id.
   */
  readonly repeats?: boolean
  /** Timeout in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** Strings to redact from errors. */
  readonly secrets?: readonly (string | null)[]
}

/** A vendor's response; `body` is the parsed JSON, or the text if it is not JSON. */
export interface VendorAnswer {
  readonly status: number
  readonly ok: boolean
  readonly body: unknown
  readonly text: string
}

/**
 * Sends the request, with up to two retries if it may be repeated. Redirects are not followed, because they
 * would forward keys.
 * @throws RequestError when there is no response
 */
export async function vendorRequest(
  request: VendorRequest,
  ctx: ComponentContext,
): Promise<VendorAnswer> {
  const { repeats = true, secrets = [] } = request
  for (let attempt = 0; ; attempt += 1) {
    const isLast = !repeats || attempt >= FURTHER_TRIES
    const answer = await tryOnce(request, isLast, ctx)
    if (answer !== undefined && (isLast || !isTransient(answer.status))) {
      return readAnswer(answer, secrets)
    }
    await ctx.runtime.sleep(pauseFor(answer, attempt), ctx.signal)
  }
}

async function tryOnce(
  { url, method, headers = {}, body, timeoutMs = TIMEOUT_MS, secrets = [] }: VendorRequest,
  isLast: boolean,
  ctx: ComponentContext,
): Promise<Answer | undefined> {
  try {
    return await sendRequest(
      url,
      { ...content(body, headers, method), redirect: 'manual', timeoutMs, maxBytes: MAX_BYTES },
      ctx,
    )
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (!isLast && !error.timedOut) return undefined
    throw new RequestError(hide(error.message, secrets), { timedOut: error.timedOut, cause: error })
  }
}

function content(
  body: unknown,
  headers: Readonly<Record<string, string>>,
  method: string | undefined,
) {
  if (body === undefined) return { method: method ?? 'GET', headers }
  const raw = body instanceof Uint8Array
  const type = raw ? 'application/octet-stream' : 'application/json'
  return {
    method: method ?? 'POST',
    headers: { 'content-type': type, ...headers },
    body: raw ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500
}

function pauseFor(answer: Answer | undefined, attempt: number): number {
  const seconds = Number(answer?.headers.get('retry-after') ?? Number.NaN)
  const wanted = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 500 * 2 ** attempt
  return Math.min(wanted, MAX_PAUSE_MS)
}

function readAnswer(answer: Answer, secrets: readonly (string | null)[]): VendorAnswer {
  const text = hide(answerText(answer), secrets)
  let body: unknown = text
  try {
    body = parseJson(text)
  } catch {
    // Not JSON: the text is all there is.
  }
  return { status: answer.status, ok: answer.status >= 200 && answer.status < 300, body, text }
}

function hide(text: string, secrets: readonly (string | null)[]): string {
  return redact(
    text,
    secrets.filter((secret) => secret !== null),
  )
}

/** Returns a vendor's error message, at most 300 characters: `message`, `error`, `detail` or the text. */
export function vendorMessage({ body, text }: VendorAnswer): string {
  return shortMessage(isObject(body) ? (messageIn(body) ?? text) : text)
}

export function shortMessage(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

function messageIn(body: Record<string, unknown>): string | undefined {
  for (const key of ['message', 'error_info', 'detail', 'error', 'reason', 'status']) {
    const value = body[key]
    if (typeof value === 'string' && value !== '') return value
    if (isObject(value)) {
      const inner = messageIn(value)
      if (inner !== undefined) return inner
    }
  }
  return undefined
}

/** @throws TypeError `<Vendor> answered <status>: <message>` for an error response */
export function requireSuccess(vendor: string, answer: VendorAnswer): VendorAnswer {
  if (answer.ok) return answer
  throw new TypeError(`${vendor} answered ${answer.status}: ${vendorMessage(answer)}`)
}

/** Returns the objects of a list in a response. */
export function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns a string in a response; "" for anything else. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
