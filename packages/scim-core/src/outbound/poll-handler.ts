import { constantTimeEqual, isResponse, parseBearer, readText, type Runtime } from '@x/wire'
import { sha256Hex } from '../base/digest.ts'
import { isSlow } from '../base/slow-body.ts'
import type { DeliveryResult, EndpointRecord, OutboxRow, OutboxStore } from '../store/outbox.ts'
import { readPollRequest, type PollRequest } from './poll-request.ts'

const BODY_BYTES = 1_048_576
const WAIT_MS = 25_000
const LOOK_MS = 1_000
const COLLECTED = 500
const MAX_WAITING = 100_000

interface PollOptions {
  readonly store: OutboxStore
  readonly runtime: Runtime
  readonly baseUrl: string
  readonly tokenOf: (stream: EndpointRecord, head: OutboxRow) => Promise<string | null>
  readonly onError: (error: unknown) => void
}

/** Poll-based delivery of tokens (RFC 8936). */
export function createPollHandler(options: PollOptions): (request: Request) => Promise<Response> {
  const { store, runtime, onError } = options
  const base = `${new URL(options.baseUrl).pathname.replace(/\/$/, '')}/SecurityEvents/`
  return async (request) => {
    try {
      const { pathname } = new URL(request.url)
      const id = pathname.startsWith(base) ? pathname.slice(base.length) : ''
      const stream = await admit(store, id, request)
      if (isResponse(stream)) return stream
      const begun = runtime.now()
      const asked = readPollRequest(await bodyOf(request))
      // AB-79: the token may have been revoked while the body arrived.
      const again = isSlow(begun, runtime) ? await admit(store, id, request) : stream
      if (isResponse(again)) return again
      if (typeof asked === 'string') return problem(400, 'invalid_request', {}, asked)
      return await poll(options, stream, { asked, signal: request.signal })
    } catch (error) {
      onError(error)
      return problem(500, 'internal')
    }
  }
}

/** The stream that a request may read, or the refusal. */
async function admit(
  { endpoints }: OutboxStore,
  id: string,
  { method, headers }: Request,
): Promise<EndpointRecord | Response> {
  const stream = await endpoints.byId(id)
  if (stream?.kind !== 'poll' || !stream.enabled) return problem(404, 'not_found')
  if (method !== 'POST') return problem(405, 'method_not_allowed', { allow: 'POST' })
  const token = parseBearer(headers.get('authorization'))
  if (token !== null && isToken(stream, token)) return stream
  return problem(401, 'authentication_failed', { 'www-authenticate': 'Bearer' })
}

/** Null for a body that is too large or not UTF-8. */
async function bodyOf(request: Request): Promise<string | null> {
  try {
    return await readText(request, BODY_BYTES, { fatal: true })
  } catch {
    return null
  }
}

function isToken({ secrets }: EndpointRecord, token: string): boolean {
  const encoder = new TextEncoder()
  return constantTimeEqual(encoder.encode(sha256Hex(token)), encoder.encode(secrets))
}

async function poll(
  { store, runtime, tokenOf }: PollOptions,
  stream: EndpointRecord,
  { asked, signal }: { readonly asked: PollRequest; readonly signal: AbortSignal },
): Promise<Response> {
  const { deliveries } = store
  await deliveries.settle(stream.id, resultsOf(asked), { now: runtime.now() })
  if (asked.maxEvents === 0) return answer({}, false)
  const end = runtime.now().getTime() + WAIT_MS
  for (;;) {
    const limits = { now: runtime.now(), limit: COLLECTED, maxWaiting: MAX_WAITING }
    await deliveries.collect(['poll'], { ...limits, endpointId: stream.id })
    const heads = await deliveries.waiting(stream.id, asked.maxEvents + 1)
    const sets: Record<string, string> = {}
    const unwanted: string[] = []
    for (const head of heads.slice(0, asked.maxEvents)) {
      const token = await tokenOf(stream, head)
      if (token === null) unwanted.push(head.id)
      else sets[head.setId] = token
    }
    const done = unwanted.map((eventId) => deliveryResult(eventId, 'delivered', null))
    if (done.length > 0) await deliveries.settle(stream.id, done, { now: runtime.now() })
    const isEmpty = Object.keys(sets).length === 0
    if (isEmpty && done.length > 0) continue
    const isOver = asked.returnImmediately || signal.aborted || runtime.now().getTime() >= end
    if (!isEmpty || isOver) return answer(sets, heads.length > asked.maxEvents)
    await runtime.sleep(LOOK_MS, signal).catch(() => undefined)
  }
}

/** The first event of a set provides its id. */
function resultsOf({ ack, setErrs }: PollRequest): DeliveryResult[] {
  return [
    ...ack.map((jti) => deliveryResult(jti, 'delivered', null)),
    ...setErrs.map(([jti, error]) => deliveryResult(jti, 'failed', error)),
  ]
}

function deliveryResult(
  eventId: string,
  state: 'delivered' | 'failed',
  lastError: string | null,
): DeliveryResult {
  return { eventId, state, attempts: 1, nextAt: null, lastStatus: null, lastError }
}

function answer(sets: Readonly<Record<string, string>>, moreAvailable: boolean): Response {
  return json(200, { sets, ...(moreAvailable && { moreAvailable }) })
}

function problem(
  status: number,
  err: string,
  headers: Readonly<Record<string, string>> = {},
  description = DESCRIPTIONS[err] ?? err,
): Response {
  return json(status, { err, description }, headers)
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  not_found: 'There is no such stream.',
  method_not_allowed: 'Streams are polled by POST.',
  authentication_failed: 'The token of the stream is missing or wrong.',
  internal: 'The stream cannot be read at the moment.',
}

function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}
