import { invalidRequest } from '../errors.ts'
import type { StoredJob } from '../store/job-store.ts'
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
  forget(jobId: string): void
  /** The job waits for long: its stored text suffices, unless the request carries objects. */
  rest(jobId: string): void
}

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
      return text
    },
    async decode({ id, request }) {
      const kept = own.get(id)
      if (kept !== undefined) return kept
      return request === '' ? null : parseRequest(id, request, seal)
    },
    kept: (jobId) => own.get(jobId),
    forget: (jobId) => void own.delete(jobId),
    rest(jobId) {
      const request = own.get(jobId)
      if (request !== undefined && !LIVING.some((key) => request[key] !== undefined))
        own.delete(jobId)
    },
  }
}

/** What only lives in a process. */
const LIVING = ['components', 'services', 'cache', 'runtime'] as const

type Secret = Pick<BuildRequest, 'variables' | 'tweaks'>

type StoredRequest = BuildRequest & { readonly secret?: unknown }

function formatRequest(
  jobId: string,
  { flow, ...request }: BuildRequest,
  seal: JobSeal,
): string | Promise<string> {
  const { components: _c, services: _s, cache: _h, runtime: _r, ...open } = request
  const { variables, tweaks, ...plain } = open
  const graph = 'vertexIds' in flow ? flow.flow : flow
  const hasVariables = Object.keys(variables ?? {}).length > 0
  if (hasVariables && !seal.seals) throw invalidRequest('Jobs with variables need a SecretBox')
  if (!seal.seals || (variables === undefined && tweaks === undefined))
    return JSON.stringify({ ...open, flow: graph })
  return seal
    .seal(jobId, { variables, tweaks } satisfies Secret)
    .then((secret) => JSON.stringify({ ...plain, secret, flow: graph }))
}

async function parseRequest(jobId: string, text: string, seal: JobSeal): Promise<BuildRequest> {
  const { secret, ...request } = JSON.parse(text) as StoredRequest
  if (secret === undefined) return request
  return { ...request, ...((await seal.open(jobId, secret)) as Secret) }
}
