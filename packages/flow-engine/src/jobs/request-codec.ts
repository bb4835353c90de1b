import { invalidRequest } from '../errors.ts'
import type { StoredJob } from '../store/job-store.ts'
import { decodeValue, encodeJson, encodeValue } from '../graph/durable/checkpoint.ts'
import type { BuildRequest } from './build-jobs.ts'
import type { JobSeal } from './job-seal.ts'

/** Between the request of a job and the text that is stored with it. */
export interface RequestCodec {
  /**
   * A promise only where something is sealed.
   * @throws FlowError `invalid_request` for variables that would be stored without a seal (DR-22)
   */
  encode(jobId: string, request: BuildRequest): string | Promise<string>
  /** The request of a claimed job; null when it is not to be had in this process. */
  decode(job: StoredJob): Promise<BuildRequest | null>
  /** The request of a job that was queued in this process and has not ended. */
  kept(jobId: string): BuildRequest | undefined
  /** The same of all such jobs, by id. */
  all(): ReadonlyMap<string, BuildRequest>
  forget(jobId: string): void
  /** The job waits for long: its stored text suffices, unless the request carries objects. */
  rest(jobId: string): void
}

/** Requests kept in a shared queue; news of their ends may be lost (DR-19). */
const MOST_SHARED = 1000

/**
 * Requests of this process are kept as they are, with the objects they carry. A text is made only
 * where it may be read back: by another process, or after a crash.
 */
export function createRequestCodec(shared: boolean, seal: JobSeal): RequestCodec {
  const own = new Map<string, BuildRequest>()
  return {
    encode(jobId, request) {
      const stored = shared || request.resumable === true
      const text = stored ? formatRequest(jobId, request, seal) : ''
      own.set(jobId, request)
      const oldest = shared && own.size > MOST_SHARED ? own.keys().next().value : undefined
      if (oldest !== undefined) own.delete(oldest)
      return text
    },
    async decode({ id, request }) {
      const kept = own.get(id)
      if (kept !== undefined) return kept
      return request === '' ? null : parseRequest(id, request, seal)
    },
    kept: (jobId) => own.get(jobId),
    all: () => own,
    forget: (jobId) => void own.delete(jobId),
    rest(jobId) {
      const request = own.get(jobId)
      if (request !== undefined && !LIVING.some((key) => request[key] !== undefined))
        own.delete(jobId)
    },
  }
}

/** Options that exist only in a process. */
export const LIVING = ['components', 'services', 'cache', 'runtime', 'hooks'] as const

type Secret = Pick<BuildRequest, 'variables' | 'tweaks'> & { readonly inputs?: object | undefined }

type StoredRequest = Omit<BuildRequest, 'inputs'> & {
  /** As `encodeValue` writes them. */
  readonly inputs?: object
  readonly secret?: unknown
}

/** The text of a request; a promise only where something is sealed. */
export function formatRequest(
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
  const isPlain = variables === undefined && tweaks === undefined && inputs === undefined
  if (!seal.seals || isPlain) return JSON.stringify({ ...open, inputs, flow: graph })
  return seal
    .seal(jobId, { variables, tweaks, inputs } satisfies Secret)
    .then((secret) => JSON.stringify({ ...plain, secret, flow: graph }))
}

/** Named inputs may be messages and data. @throws FlowError `invalid_request` for what is no data */
function encodeInputs(inputs: NonNullable<BuildRequest['inputs']>): object {
  const text = encodeJson(() => ({ inputs: encodeValue(inputs) }))
  if (text === undefined) throw invalidRequest('The inputs of a stored job must be data')
  return (JSON.parse(text) as { readonly inputs: object }).inputs
}

/** The request of a text. */
export async function parseRequest(
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
