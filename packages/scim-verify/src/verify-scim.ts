import { createSystemRuntime, isObject, type Runtime } from '@x/wire'
import { createVerifyClient, ExchangeError, type Exchange, type VerifyClient } from './client.ts'
import type { Cycle, CheckLevel, CycleStep, Expectation, Feature } from './cycle.ts'
import { mismatch } from './matcher.ts'
import { createMadeResources, type MadeResources } from './made-resources.ts'
import { requestToken, type ClientCredentials } from './request-token.ts'
import { filled, filledPath, MissingValueError, valueAt } from './variables.ts'

/** The result of one check. */
export interface CheckResult {
  readonly id: string
  readonly profile: string
  readonly level: CheckLevel
  readonly title: string
  readonly result: 'passed' | 'failed' | 'skipped' | 'warning'
  /** Why it did not pass. */
  readonly message?: string
  /** The request of a check that did not pass, without credentials. */
  readonly request?: string
  readonly durationMs: number
}

export interface VerifyReport {
  readonly url: string
  readonly checks: readonly CheckResult[]
  /** Paths of made resources that could not be removed. */
  readonly left: readonly string[]
  /** Remarks that are no failure. */
  readonly notes: readonly string[]
}

/** The server cannot be verified: it is unreachable, refuses the credentials, or is no SCIM server. */
export class NotVerifiableError extends Error {}

export interface VerifyOptions {
  /** Base URL of the SCIM server. */
  readonly url: string
  readonly cycles: readonly Cycle[]
  /** Sent with each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** For checks of the token endpoint; they are skipped without it. */
  readonly client?: ClientCredentials
  /** Default: the platform's. A handler in the same process works too. */
  readonly fetch?: typeof fetch
  /** Returns whether a check is run. Default: all. */
  readonly isChosen?: (step: CycleStep) => boolean
  /** Domain of made users. Default `x-scim.example`. */
  readonly userDomain?: string
  /** For a whole exchange, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** Requests per second; Infinity does not limit them. Default 20. */
  readonly perSecond?: number
  /** Keeps what was made. Default false. */
  readonly keep?: boolean
  /** Ends the checks after the current one; what was made is removed. */
  readonly signal?: AbortSignal
  readonly onResult?: (result: CheckResult) => void
  readonly runtime?: Runtime
}

/**
 * Sends what SCIM clients send, and compares the answers with the expected ones. Only resources that it made
 * are changed, and they are removed at the end.
 * @throws NotVerifiableError
 */
export async function verifyScim({
  url,
  cycles,
  headers = {},
  client: credentials,
  fetch: send = fetch,
  isChosen = () => true,
  userDomain: domain = 'x-scim.example',
  timeoutMs = 30_000,
  perSecond = 20,
  keep = false,
  signal,
  onResult,
  runtime = createSystemRuntime(),
}: VerifyOptions): Promise<VerifyReport> {
  const exchange = { fetch: send, timeoutMs, perSecond, runtime }
  const client = createVerifyClient({ url, headers, ...exchange })
  const supported = await readFeatures(client, signal)
  const made = createMadeResources(client)
  const checks: CheckResult[] = []
  for (const { name, steps } of cycles) {
    const run = runtime.uuid().replaceAll('-', '').slice(0, 12)
    made.startRun(run)
    const variables = new Map<string, unknown>([
      ['run', run],
      ['domain', domain],
      ['uuid', runtime.uuid()],
    ])
    for (const step of steps) {
      // A request that is given up could make something that is not removed.
      if (signal?.aborted === true) break
      if (!isChosen(step)) continue
      const started = runtime.now().getTime()
      const scope = { client, made, supported, variables, credentials, exchange }
      const outcome = await check(scope, step)
      const { id, level, title } = step
      const durationMs = runtime.now().getTime() - started
      const result = { id, profile: name, level, title, ...outcome, durationMs }
      checks.push(result)
      onResult?.(result)
    }
  }
  const left = keep ? [] : await made.removeAll()
  return { url, checks, left, notes: made.notes }
}

interface Scope {
  readonly client: VerifyClient
  readonly made: MadeResources
  readonly supported: (feature: Feature) => boolean
  readonly variables: Map<string, unknown>
  readonly credentials: ClientCredentials | undefined
  readonly exchange: Omit<Parameters<typeof createVerifyClient>[0], 'url' | 'headers'>
}

type Outcome = Pick<CheckResult, 'result' | 'message' | 'request'>

async function check(scope: Scope, step: CycleStep): Promise<Outcome> {
  const { supported, variables, client } = scope
  const { needs, onlyIf, manual, credential } = step
  if (manual !== undefined) return skipped(manual)
  const credentials = credential === undefined ? undefined : scope.credentials
  if (credential !== undefined && credentials?.[credential] === undefined)
    return skipped(`it needs the ${credential} of an OAuth client`)
  if (needs !== undefined && !supported(needs))
    return skipped(`the server does not support ${needs}`)
  let request: string | undefined
  try {
    if (onlyIf !== undefined) {
      const { status } = await client.send({
        method: 'GET',
        path: filledPath(onlyIf.path, variables),
      })
      if (!onlyIf.status.includes(status)) return skipped(`GET ${onlyIf.path} is ${status}`)
    }
    const { method, headers, body } = step.request
    const path = filledPath(step.request.path, variables)
    const sent = body === undefined ? undefined : filled(body, variables)
    request = [method, path, sent === undefined ? '' : JSON.stringify(sent)].join(' ').trim()
    if (!scope.made.mayChange(method, path)) return skipped('the resource was not made by this run')
    const answer =
      credentials === undefined || credential === undefined
        ? await client.send({
            method,
            path,
            ...(headers !== undefined && { headers }),
            ...(sent !== undefined && { body: sent }),
          })
        : await requestToken(credentials, credential, scope.exchange)
    scope.made.look(method, path, answer)
    const wrong = problemOf(answer, filled(step.expect, variables))
    if (wrong !== null) return failed(step, wrong, request)
    for (const [name, pointer] of Object.entries(step.save ?? {})) {
      const value = valueAt(answer.body, pointer)
      if (value !== undefined) variables.set(name, value)
    }
    if (step.after === undefined) return { result: 'passed' }
    const later = filledPath(step.after.path, variables)
    const shown = await client.send({ method: 'GET', path: later })
    const wrongState = problemOf(shown, filled(step.after.expect, variables))
    return wrongState === null
      ? { result: 'passed' }
      : failed(step, `afterwards GET ${later}: ${wrongState}`, request)
  } catch (error) {
    if (error instanceof MissingValueError) return skipped(error.message)
    if (error instanceof ExchangeError) return failed(step, error.message, request)
    throw error
  }
}

function skipped(message: string): Outcome {
  return { result: 'skipped', message }
}

function failed({ level }: CycleStep, message: string, request: string | undefined): Outcome {
  const result = level === 'required' ? 'failed' : 'warning'
  return { result, message, ...(request !== undefined && { request }) }
}

function problemOf(answer: Exchange, { status, headers = {}, body }: Expectation): string | null {
  if (!status.includes(answer.status)) {
    const detail = isObject(answer.body) ? answer.body['detail'] : undefined
    const more = typeof detail === 'string' ? ` (${detail.slice(0, 300)})` : ''
    return `expected status ${status.join(' or ')}, but it is ${answer.status}${more}`
  }
  for (const [name, part] of Object.entries(headers)) {
    const value = answer.headers.get(name)
    if (value === null) return `expected a header ${name}`
    if (!value.toLowerCase().includes(part.toLowerCase()))
      return `expected ${name} to contain ${part}, but it is ${value.slice(0, 300)}`
  }
  return body === undefined ? null : mismatch(body, answer.body)
}

/** @throws NotVerifiableError */
async function readFeatures(
  client: VerifyClient,
  signal: AbortSignal | undefined,
): Promise<(feature: Feature) => boolean> {
  let config: Exchange
  let users: Exchange
  try {
    config = await client.send({ method: 'GET', path: '/ServiceProviderConfig' }, signal)
    users = await client.send({ method: 'GET', path: '/Users?count=1' }, signal)
  } catch (error) {
    if (error instanceof ExchangeError)
      throw new NotVerifiableError(`The server cannot be reached: ${error.message}.`)
    throw error
  }
  for (const { status, headers, body } of [config, users]) {
    if (status === 401 || status === 403)
      throw new NotVerifiableError(`The server refuses the credentials with ${status}.`)
    if (status >= 300 && status < 400)
      throw new NotVerifiableError(
        `The server redirects to ${String(headers.get('location'))}; give that URL.`,
      )
    if (body === undefined && /html/i.test(headers.get('content-type') ?? ''))
      throw new NotVerifiableError(
        `The server answers with an HTML page (status ${status}), not with SCIM.`,
      )
  }
  if (!isObject(users.body) || !Array.isArray(users.body['schemas']))
    throw new NotVerifiableError(
      `This is not a SCIM server: GET /Users is ${users.status} without a SCIM body.`,
    )
  return (feature) => {
    // A server without ServiceProviderConfig is tried with what every client needs.
    if (!isObject(config.body)) return feature === 'filter' || feature === 'patch'
    const pointer = feature === 'cursor' ? '/pagination/cursor' : `/${feature}/supported`
    return valueAt(config.body, pointer) === true
  }
}
