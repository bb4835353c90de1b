import { FlowError } from '@x/flow-engine'
import type { FlowRun } from '@x/flow-engine'
import type { JobOwner } from '../base/job-owner.ts'

/** The runs of this process that are no jobs, with what they belong to. */
export interface OpenRuns {
  /** Knows the run until it ends. */
  add(run: FlowRun, of: { readonly flowId: string; readonly userId: string }): void
  /** Cancels the runs of deleted flows, or of a deleted or blocked user. */
  cancel(of: JobOwner): void
}

export function createOpenRuns(): OpenRuns {
  const open = new Map<FlowRun, { readonly flowId: string; readonly userId: string }>()
  return {
    add(run, of) {
      open.set(run, of)
      const ended = (): void => void open.delete(run)
      run.result.then(ended, ended)
    },
    cancel({ flowIds, userId }) {
      const flows = new Set(flowIds)
      for (const [run, of] of open) {
        if (of.userId === userId || flows.has(of.flowId)) run.cancel(new OwnerGone())
      }
    },
  }
}

/** Why such a run was cancelled. */
export class OwnerGone extends FlowError {
  constructor() {
    super('invalid_request', 'The flow was deleted, or its user was deleted or blocked')
  }
}
