import { invalidRequest } from '../errors.ts'
import type { StoredJob } from '../store/job-store.ts'
import { decodeValue, encodeJson, encodeValue } from '../graph/durable/checkpoint.ts'
import type { BuildRequest } from './build-request.ts'
import type { JobSeal } from './job-seal.ts'

/** Converts between a job's request and its stored text. */
export interface RequestCodec {
  /**
   * Asynchronous only if something is sealed.
   * @throws FlowError `invalid_request` for variables that would be stored unencrypted
   */
  encode(jobId: string, request: BuildRequest): string | Promise<string>
  /** The request of a claimed job; null if it is not available in this process. */
  decode(job: StoredJob): Promise<BuildRequest | null>
  /** The request of an unfinished job that was queued in this process. */
  kept(jobId: string): BuildRequest | undefined
  /** All such requests, by job id. */
  all(): ReadonlyMap<string, BuildRequest>
  forget(jobId: string): void
  /**
   * Called when the job waits for long: the stored text suffices, unless the request contains live objects.
   */
  rest(jobId: string): void
}

/**
 * Maximum number of retained requests with a shared queue, where notifications of ends may be lost.
 */
const MAX_SHARED = 1000

/**
 * Requests of this process are retained as objects. They are serialised only if they may have to be read
 * back: by another process, or after a crash.
 */
export function createRequestCodec(shared: boolean, seal: JobSeal): RequestCodec {
  const own = new Map<string, BuildRequest>()
  return {
    encode(jobId, request) {
      const stored = shared || request.resumable === true
      const text = stored ? formatStoredRequest(jobId, request, seal) : ''
      own.set(jobId, request)
      const oldest = shared && own.size > MAX_SHARED ? own.keys().next().value : undefined
      if (oldest !== undefined) own.delete(oldest)
      return text
    },
    async decode({ id, request }) {
      const kept = own.get(id)
      if (kept !== undefined) return kept
      return request === '' ? null : parseStoredRequest(id, request, seal)
    },
    kept: (jobId) => own.get(jobId),
    all: () => own,
    forget: (jobId) => void own.delete(jobId),
    rest(jobId) {
      const request = own.get(jobId)
      if (request !== undefined && !UNSTORABLE.some((key) => request[key] !== undefined))
        own.delete(jobId)
    },
  }
}

/** Options that exist only in a process and cannot be stored. */
export const UNSTORABLE = ['components', 'services', 'cache', 'runtime', 'hooks'] as const

type Secret = Pick<BuildRequest, 'variables' | 'tweaks'> & { readonly inputs?: object | undefined }

type StoredRequest = Omit<BuildRequest, 'inputs'> & {
  /** In the format of `encodeValue`. */
  readonly inputs?: object
  readonly secret?: unknown
}

/** Serialises a request; asynchronous only if something is sealed. */
export function formatStoredRequest(
  jobId: string,
  { flow, ...request }: BuildRequest,
  seal: JobSeal,
): string | Promise<string> {
  const { components: _c, services: _s, cache: _h, runtime: _r, hooks: _l, ...open } = request
  const { variables, tweaks, inputs: given, ...plain } = open
  const graph = 'vertexIds' in flow ? flow.flow : flow
  const hasVariables = Object.keys(variables ?? {}).length > 0
  if (hasVariables && !seal.seals) throw invalidRequest('Jobs with variables need a SecretBox')
  const inputs = given === undefined ? undefined : encodeInputs(given)
  const isPlain = !hasVariables && tweaks === undefined && inputs === undefined
  if (!seal.seals || isPlain) return JSON.stringify({ ...open, inputs, flow: graph })
  return seal
    .seal(jobId, { variables, tweaks, inputs } satisfies Secret)
    .then((secret) => JSON.stringify({ ...plain, secret, flow: graph }))
}

/** Named inputs may be messages and data. @throws FlowError `invalid_request` for other objects */
function encodeInputs(inputs: NonNullable<BuildRequest['inputs']>): object {
  const text = encodeJson(() => ({ inputs: encodeValue(inputs) }))
  if (text === undefined)
    throw invalidRequest(
      'inputs: a stored job takes only JSON values, messages, Data and DataFrames',
    )
  return (JSON.parse(text) as { readonly inputs: object }).inputs
}

/** Parses a stored request. */
export async function parseStoredRequest(
  jobId: string,
  text: string,
  seal: JobSeal,
): Promise<BuildRequest> {
  const { secret, ...open } = JSON.parse(text) as StoredRequest
  const sealed = secret === undefined ? {} : ((await seal.open(jobId, secret)) as Secret)
  const { inputs, ...request } = { ...open, ...sealed }
  if (inputs === undefined) return request
  return { ...request, inputs: decodeValue(inputs) as NonNullable<BuildRequest['inputs']> }
}
