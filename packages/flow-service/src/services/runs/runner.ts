import type {
  BuildJobs,
  BuildRequest,
  ComponentServices,
  FlowPlan,
  FlowRun,
  JobRecord,
  RunHooks,
  RunOptions,
  StartRequest,
} from '@x/flow-engine'
import { startRun, tighterBudget } from '@x/flow-engine/internal'
import type { RunDoor } from '../../events.ts'
import type { BudgetService } from '../budgets/budgets.ts'
import type { Admission, Reservation } from './admission.ts'
import { withEarlierTurns, type EarlierTurn } from './earlier-turns.ts'
import { createWriteTracker } from './write-tracker.ts'
import { metadataOf } from './build-metadata.ts'
import { joinRunHooks } from './join-run-hooks.ts'
import { withoutKey } from './run-origin.ts'
import type { RunOwners } from './run-owners.ts'
import type { RunRecorder } from './run-records.ts'
import type { RunOwnerInfo } from './run-owner-info.ts'
import type { OrphanCleanup } from './sweep.ts'

/** A run of this process, whose caller waits for it. */
export interface RunRequest {
  readonly plan: FlowPlan
  readonly owner: { readonly userId: string; readonly flowId: string }
  readonly options: Partial<RunOptions>
  /** Which records it leaves: those of a run with its trace, or those of a build. */
  readonly records: 'run' | 'build'
  /** The way by which it came, for notifications. */
  readonly door: RunDoor
  /** Earlier turns sent by the client, placed before the stored history. */
  readonly earlier?: readonly EarlierTurn[] | undefined
  /** Stored variables and the environment are not read. */
  readonly isAnonymous?: boolean | undefined
  /** Continues the builds of single vertices. */
  readonly host?: Pick<Parameters<typeof startRun>[2], 'resume' | 'checkpoint'>
}

/** A started run. */
export interface RunHandle {
  readonly run: FlowRun
  /** Resolves when all messages and records of the run are stored. */
  readonly recorded: Promise<void>
}

/** Starts every run and every job of the service: admits it, records it, and ends it with its owner. */
export interface Runner {
  /**
   * For doors that answer before they start: what `start` would refuse because a budget is used up.
   * @throws Refusal 429, StoreUnavailableError
   */
  readonly admit: BudgetService['admit']
  /**
   * Starts a run in this process, without a job.
   * @throws Refusal 429 if its owner has too many runs or a budget is used up, StoreUnavailableError if the store of
   * quotas or budgets fails
   */
  start(request: RunRequest): Promise<RunHandle>
  /**
   * Queues a run as a job. One that is refused before anything runs (`request.refused`), and those of visitors,
   * are none of their owner's runs of the day.
   * @throws Refusal 429 over the quota or if a budget is used up; FlowError `limit_exceeded` (429) if too many jobs are waiting
   */
  readonly enqueue: (request: BuildRequest & Pick<StartRequest, 'id'>) => Promise<JobRecord>
}

export interface RunnerOptions {
  readonly admission: Admission
  readonly jobs: Pick<BuildJobs, 'start'>
  readonly owners: Pick<RunOwners, 'add'>
  readonly servicesOf: (scope: RunOwnerInfo) => ComponentServices
  readonly recorderOf: (request: RunRequest) => RunRecorder | undefined
  readonly budgets: Pick<BudgetService, 'ofRun' | 'admit'>
  /** Cache, limits, budget, runtime and hooks of all runs. */
  readonly base: Pick<
    RunOptions,
    'cache' | 'limits' | 'runtime' | 'hooks' | 'budget' | 'prices' | 'countTokens'
  >
  readonly sweep: Pick<OrphanCleanup, 'after'>
  /** Hooks that announce runs of a door. */
  readonly announced: (door: RunDoor) => RunHooks
  /** Receives errors of hooks, and of a quota that could not be given back. */
  readonly report: (error: unknown) => void
}

export function createRunner(runner: RunnerOptions): Runner {
  const {
    admission,
    jobs,
    owners,
    servicesOf,
    recorderOf,
    budgets,
    base,
    sweep,
    report,
    announced,
  } = runner

  /** Undoes the reservation if nothing starts. */
  const within = async <T>(reservation: Reservation, start: () => T | Promise<T>): Promise<T> => {
    try {
      return await start()
    } catch (error) {
      await reservation.undo().catch(report)
      throw error
    }
  }

  const begin = (request: RunRequest, options: RunRequest['options'], keyHash?: string) => {
    const { plan, owner, earlier = [], isAnonymous = false, host } = request
    const { userId, flowId } = owner
    const recorder = recorderOf(request)
    const pending = createWriteTracker()
    const known = { ownerId: userId, storedFlowId: flowId, keyHash }
    const scope = { ...known, isPublic: false, isAnonymous, pending }
    const services = withEarlierTurns(servicesOf(scope), earlier, base.runtime)
    const budget = tighterBudget(base.budget, budgets.ofRun(userId))
    const run = startRun(
      plan,
      {
        ...base,
        budget,
        hooks: joinRunHooks([announced(request.door), base.hooks]),
        services,
        flowId,
        userId,
        ...options,
      },
      { report, ...recorder, ...host },
    )
    owners.add(run, owner)
    const recorded = watched(run, recorder)
      .then(() => pending.written())
      .finally(() => sweep.after(flowId, flowId, request.records === 'run' ? userId : undefined))
    // A failed run is reported with its own error.
    recorded.catch(() => undefined)
    return { run, recorded }
  }

  return {
    admit: (owner) => budgets.admit(owner),
    async start(request) {
      const { request: options, keyHash } = withoutKey(request.options)
      await budgets.admit({ ...request.owner, keyHash })
      const reservation = await admission.run(request.owner.userId)
      return await within(reservation, () => {
        const handle: RunHandle = begin(request, options, keyHash)
        handle.run.result.then(reservation.release, reservation.release)
        return handle
      })
    },
    async enqueue(given) {
      const { request: own, keyHash } = withoutKey(given)
      const request =
        keyHash === undefined ? own : { ...own, metadata: { ...own.metadata, keyHash } }
      const { lane, userId, refused } = request
      const { ownerId, storedFlowId: flowId } = metadataOf(request)
      if (refused === undefined) await budgets.admit({ userId: ownerId, flowId, keyHash })
      if (lane === 'public' || userId === undefined || refused !== undefined)
        return await jobs.start(request)
      return await within(await admission.job(userId), () => jobs.start(request))
    },
  }
}

/** Resolves when the run is over and has been recorded. */
export async function watched(run: FlowRun, recorder: RunRecorder | undefined): Promise<void> {
  await recorder?.watch(run)
  await run.result.catch(() => undefined)
}
