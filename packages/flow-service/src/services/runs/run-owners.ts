import { FlowError, type BuildJobs, type BuildRequest, type FlowRun } from '@x/flow-engine'
import type { JobStore } from '@x/flow-engine/store'
import type { JobOwner } from '../base/job-owner.ts'
import type { BuildMetadata } from './build-metadata.ts'

/** To whom the runs and jobs that go on belong, so that they end with their flow or their user. */
export interface RunOwners {
  /** Knows a run that is no job until it ends. */
  add(run: FlowRun, of: { readonly flowId: string; readonly userId: string }): void
  /**
   * Cancels runs and jobs that wait or run in this process and open questions anywhere, and asks other processes to do
   * the same. Removes schedules of what is deleted.
   */
  cancelOwned(of: JobOwner): Promise<void>
  /** Stops listening to other processes. */
  close(): void
}

/** Why such a run was cancelled. */
export class OwnerRemovedError extends FlowError {
  constructor() {
    super('invalid_request', 'The flow was deleted, or its user was deleted or blocked')
  }
}

export interface RunOwnersOptions {
  readonly jobs: Pick<BuildJobs, 'own' | 'cancel' | 'pending'>
  readonly store: Pick<JobStore, 'bus' | 'queue' | 'schedules'>
  /** Called when a waiting job was cancelled. */
  readonly left: (jobId: string) => void
  /** Called in each process when a user was deleted or blocked. */
  readonly userGone: (userId: string) => void
}

const CHANNEL = 'job-owner-gone'
/** Ids per message to other processes: PostgreSQL limits a payload to 8,000 bytes. */
const IDS = 100
const QUESTIONS = 1000

export function createRunOwners({
  jobs,
  store: { bus, queue, schedules },
  left,
  userGone,
}: RunOwnersOptions): RunOwners {
  const open = new Map<FlowRun, { readonly flowId: string; readonly userId: string }>()
  const cancelOpen = ({ flowIds, userId }: JobOwner): void => {
    if (userId !== undefined) userGone(userId)
    const flows = new Set(flowIds)
    for (const [run, of] of open) {
      if (of.userId === userId || flows.has(of.flowId)) run.cancel(new OwnerRemovedError())
    }
  }
  const cancel = async (jobIds: Iterable<string>): Promise<void> => {
    const each = [...jobIds].map(async (id) => {
      await jobs.cancel(id).catch(() => undefined)
      left(id)
    })
    await Promise.all(each)
  }
  const own = (of: JobOwner): string[] =>
    [...jobs.own()].filter(([, request]) => isOf(of, request)).map(([id]) => id)
  const unsubscribe = queue.shared
    ? bus.subscribe(CHANNEL, (text) => {
        // An empty payload means that notifications may have been missed, without saying which.
        if (text === '') return
        const of = JSON.parse(text) as JobOwner
        cancelOpen(of)
        void cancel(own(of))
      })
    : () => undefined

  return {
    add(run, of) {
      open.set(run, of)
      const ended = (): void => void open.delete(run)
      run.result.then(ended, ended)
    },
    async cancelOwned(of) {
      cancelOpen(of)
      const { flowIds = [], userId } = of
      const gone = of.isRemoved === true ? { userId } : {}
      await schedules?.removeOf({ flowIds, ...gone })
      const ids = new Set(own(of))
      const asking = userId === undefined ? flowIds.map((flowId) => ({ flowId })) : [{ userId }]
      for (const query of asking) for (const id of await openQuestions(jobs, query)) ids.add(id)
      await cancel(ids)
      if (queue.shared) for (const part of parts(of)) bus.publish(CHANNEL, JSON.stringify(part))
    },
    close: unsubscribe,
  }
}

/** A public build counts for the stored flow, not for the id derived from flow and visitor. */
function isOf({ flowIds = [], userId }: JobOwner, request: BuildRequest): boolean {
  const { storedFlowId } = (request.metadata ?? {}) as Partial<BuildMetadata>
  if (userId !== undefined && request.userId === userId) return true
  return storedFlowId !== undefined && flowIds.includes(storedFlowId)
}

function* parts({ flowIds = [], userId }: JobOwner): Generator<JobOwner> {
  if (userId !== undefined) yield { userId }
  for (let start = 0; start < flowIds.length; start += IDS)
    yield { flowIds: flowIds.slice(start, start + IDS) }
}

/** Suspended jobs with a question, whichever process started them. */
async function openQuestions(
  jobs: Pick<BuildJobs, 'pending'>,
  query: { readonly flowId?: string; readonly userId?: string },
): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const after = ids.at(-1)
    const next = after === undefined ? {} : { after }
    const page = await jobs.pending({ ...query, limit: QUESTIONS, ...next })
    for (const { jobId } of page) ids.push(jobId)
    if (page.length < QUESTIONS) return ids
  }
}
