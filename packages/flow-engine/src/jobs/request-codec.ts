import type { StoredJob } from '../store/job-store.ts'
import type { BuildRequest } from './build-jobs.ts'

/** Between the request of a job and the text that is stored with it. */
export interface RequestCodec {
  encode(jobId: string, request: BuildRequest): string
  /** The request of a claimed job; null when it is not to be had in this process. */
  decode(job: StoredJob): BuildRequest | null
  /** The request of a job that was queued in this process and has not ended. */
  kept(jobId: string): BuildRequest | undefined
  forget(jobId: string): void
}

/**
 * Requests of this process are kept as they are, with the objects they carry. A text is made only
 * where it may be read back: by another process, or after a crash.
 */
export function createRequestCodec(shared: boolean): RequestCodec {
  const own = new Map<string, BuildRequest>()
  return {
    encode(jobId, request) {
      own.set(jobId, request)
      return shared || request.resumable === true ? formatRequest(request) : ''
    },
    decode({ id, request }) {
      const kept = own.get(id)
      if (kept !== undefined) return kept
      return request === '' ? null : (JSON.parse(request) as BuildRequest)
    },
    kept: (jobId) => own.get(jobId),
    forget: (jobId) => void own.delete(jobId),
  }
}

/** Without what only lives in a process. */
function formatRequest({ flow, ...request }: BuildRequest): string {
  const { components: _c, services: _s, cache: _h, runtime: _r, ...plain } = request
  return JSON.stringify({ ...plain, flow: 'vertexIds' in flow ? flow.flow : flow })
}
