import type { Runtime } from '@x/wire'
import type { RunHooks } from '@x/flow-engine'
import type { JobRecord } from '@x/flow-engine'
import type { EmitFlowEvent, RunDoor, RunEvent } from '../../events.ts'

type RunInfo = Parameters<NonNullable<RunHooks['onRunStart']>>[0]

/** Announces every run of the service, with what runs within it. */
export interface RunEvents {
  /** Hooks of runs of this process that come by a door. */
  readonly hooksOf: (door: RunDoor) => RunHooks
  /** Hooks of jobs, of which `jobStarts` has told the door. */
  readonly jobHooks: RunHooks
  jobStarts(jobId: string, door: RunDoor | undefined): void
  /** Ends the stretch of a job that ended without its process. */
  jobFinished(job: JobRecord): void
}

export function createRunEvents(emit: EmitFlowEvent, runtime: Pick<Runtime, 'now'>): RunEvents {
  /** Runs under way, by their own id. */
  const running = new Map<string, RunMetadata>()
  /** Doors of jobs that run in this process. */
  const doors = new Map<string, RunDoor>()
  /** Jobs whose last stretch has ended here. */
  const ended = new Set<string>()

  const hooks = (doorOf: (jobId: string | undefined) => RunDoor): RunHooks => ({
    onRunStart(run) {
      const parent = running.get(run.parentRunId ?? '')
      const event = { ...factsOf(run, parent), door: parent?.door ?? doorOf(run.jobId) }
      running.set(run.runId, event)
      emit('run.started', { at: runtime.now(), ...event, resumed: run.continued === true })
    },
    onRunEnd({ runId, jobId }, { status, durationMs, usage, error }) {
      const event = running.get(runId)
      if (event === undefined) return
      running.delete(runId)
      const isLast = status !== 'suspended' && status !== 'released'
      if (jobId === event.id && isLast) ended.add(event.id)
      const { inputTokens, outputTokens } = usage
      emit('run.finished', {
        at: runtime.now(),
        ...event,
        status: status === 'released' ? 'suspended' : status,
        durationMs,
        ...(inputTokens + outputTokens > 0 && { inputTokens, outputTokens }),
        ...(error !== undefined && {
          error: {
            code: error.code,
            message: error.detail,
            ...(error.vertexId !== undefined && { componentId: error.vertexId }),
          },
        }),
      })
    },
  })
  const doorOfJob = (jobId: string): RunDoor =>
    doors.get(jobId) ?? (isOfSchedule(jobId) ? 'schedule' : 'job')
  const ofDoors = new Map<RunDoor, RunHooks>()
  return {
    hooksOf(door) {
      const made = ofDoors.get(door) ?? hooks(() => door)
      ofDoors.set(door, made)
      return made
    },
    jobHooks: hooks((jobId = '') => doorOfJob(jobId)),
    jobStarts(jobId, door) {
      if (door !== undefined) doors.set(jobId, door)
    },
    jobFinished({ id, flowId, userId, startedAt, error }) {
      const isTold = ended.delete(id)
      const door = doorOfJob(id)
      doors.delete(id)
      // Any other end of a job that rests follows the end of its last stretch.
      if (isTold || startedAt === null || error?.code !== 'interrupted') return
      const at = runtime.now()
      emit('run.finished', {
        at,
        id,
        jobId: id,
        flowId,
        sessionId: '',
        door,
        ...(userId !== undefined && { userId }),
        status: 'failed',
        durationMs: Math.max(0, at.getTime() - startedAt.getTime()),
        error: { code: error.code, message: error.detail },
      })
    },
  }
}

/** Schedules derive the ids of their jobs: UUIDs of version 8. */
const isOfSchedule = (jobId: string): boolean => jobId.charAt(14) === '8'

type RunMetadata = Omit<RunEvent, 'at'>

function factsOf(run: RunInfo, parent: RunMetadata | undefined): Omit<RunMetadata, 'door'> {
  const { runId, jobId, flowId, flowName, sessionId, userId, requestId } = run
  return {
    id: parent === undefined ? (jobId ?? runId) : runId,
    flowId,
    sessionId,
    ...(flowName !== undefined && { flowName }),
    ...(userId !== undefined && { userId }),
    ...(jobId !== undefined && { jobId }),
    ...(requestId !== undefined && { requestId }),
    ...(parent !== undefined && { parentId: parent.id }),
  }
}
