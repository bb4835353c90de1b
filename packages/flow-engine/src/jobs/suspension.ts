import type { Runtime } from '@x/wire'
import type {
  Ask,
  SleepRequest,
  QuestionNotice,
  SuspendOutcome,
} from '../graph/context/run-host.ts'
import type { ClaimedJob, JobSuspension, JobStore } from '../store/job-store.ts'
import type { JobSeal } from './job-seal.ts'
import {
  answerName,
  expiredName,
  isStoredQuestion,
  noticeOf,
  sleepName,
  type StoredQuestion,
} from './stored-question.ts'

export interface SuspensionOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly seal: JobSeal
  /** Fencing token of the claim. */
  readonly fence: number | undefined
  /** Maximum waiting time of a question that sets none, in milliseconds; null: unlimited. */
  readonly maxSuspendedMs: number | null
  /** Longest sleep that waits in memory, in milliseconds. */
  readonly sleepInProcessMs: number
}

/**
 * Replays the answers given to earlier runs of the job; the first new question suspends it.
 * @param states the checkpoints of the job, including answers
 */
export async function createSuspension(
  options: SuspensionOptions,
  job: ClaimedJob,
  states: ReadonlyMap<string, string>,
): Promise<Suspension> {
  const { store, runtime, seal, fence } = options
  const kept = new Map(states)
  const keep = async (name: string, value: unknown): Promise<void> => {
    const state = JSON.stringify(value ?? null)
    kept.set(name, state)
    await store.checkpoints.put(job.id, name, state, fence)
  }
  const question = job.question === null ? null : await seal.open(job.id, job.question)
  const asked = isStoredQuestion(question) ? question : undefined
  const suspension = new Suspension(options, job, { kept, keep, asked })
  if (asked === undefined || kept.has(answerName(asked)) || kept.has(expiredName(asked)))
    return suspension
  const { expiresAt = null, askedAt = 0, fallback } = asked
  if (job.wakeAt === null) await keep(answerName(asked), job.answer)
  else if (expiresAt === null || expiresAt > runtime.now().getTime()) {
    // The job was woken by a sleeping vertex; the question is still open.
    suspension.reopen(asked)
    return suspension
  } else if (fallback === undefined)
    await keep(expiredName(asked), { afterMs: expiresAt - askedAt })
  else await keep(answerName(asked), await seal.seal(job.id, fallback[0]))
  suspension.settled = asked
  return suspension
}

interface JobCheckpoints {
  /** Checkpoints of the job, by name. */
  readonly kept: ReadonlyMap<string, string>
  readonly keep: (name: string, value: unknown) => Promise<void>
  /** The last question the job was suspended with. */
  readonly asked: StoredQuestion | undefined
}

/** The questions and sleeps of one run of a job. */
export class Suspension {
  readonly #options: SuspensionOptions
  readonly #job: ClaimedJob
  readonly #known: JobCheckpoints
  /** Number of questions of each vertex, by place. */
  readonly #counts = new Map<string, number>()
  #question: StoredQuestion | undefined
  /** A question that was announced before and is still unanswered. */
  #open: StoredQuestion | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  /** The question whose end this run is the first to see. */
  settled: StoredQuestion | undefined

  constructor(options: SuspensionOptions, job: ClaimedJob, known: JobCheckpoints) {
    this.#options = options
    this.#job = job
    this.#known = known
  }

  reopen(question: StoredQuestion): void {
    this.#open = question
  }

  /** True if a question or a sleep is open. */
  get suspended(): boolean {
    return this.#question !== undefined || this.#wakeAt < Number.POSITIVE_INFINITY
  }

  /**
   * Stores what the job waits for, once the run is idle: an answer that arrived while another vertex was
   * still running would start the job a second time. False if another process has taken the job.
   */
  async store(used: Pick<JobSuspension, 'usage'> = {}): Promise<boolean> {
    const { store, seal, runtime } = this.#options
    const { id, worker } = this.#job
    const question = this.#question
    const wake = Math.min(this.#wakeAt, question?.expiresAt ?? Number.POSITIVE_INFINITY)
    return store.queue.suspend(id, worker, {
      question: question === undefined ? null : await seal.seal(id, question),
      askedAt: question?.askedAt === undefined ? runtime.now() : new Date(question.askedAt),
      wakeAt: Number.isFinite(wake) ? new Date(wake) : null,
      ...used,
    })
  }

  /** The question to announce. */
  readonly rest = (): QuestionNotice | undefined => {
    if (this.#question === undefined || this.#question === this.#open) return undefined
    return noticeOf(this.#job.id, this.#question)
  }

  readonly ask = async ({ pass, ...ask }: Ask): Promise<SuspendOutcome> => {
    const { vertexId, scope } = ask
    // Not all passes of a loop are repeated, so each pass counts its own questions.
    const number = this.#count(`${pass ?? ''}?${scope ?? ''}?${vertexId}`)
    const place = { vertexId, scope, number, ...(pass === undefined ? {} : { pass }) }
    const name = answerName(place)
    const { kept } = this.#known
    const answer = kept.get(name)
    if (answer !== undefined) {
      const opened = await this.#options.seal.open(this.#job.id, JSON.parse(answer))
      return { kind: 'answered', answer: opened, notice: this.#settledNotice(name) }
    }
    const expired = kept.get(expiredName(place))
    if (expired !== undefined) {
      const { afterMs } = JSON.parse(expired) as { readonly afterMs: number }
      return { kind: 'expired', afterMs, notice: this.#settledNotice(name) }
    }
    // If several vertices ask at the same time, they are answered one by one; one that was announced before
    // comes first.
    const open = this.#open
    if (open !== undefined && answerName(open) === name) this.#question = open
    else this.#question ??= this.#stamp({ ...ask, ...place })
    return { kind: 'suspended' }
  }

  readonly sleep = async (sleepRequest: SleepRequest): Promise<'over' | 'suspended'> => {
    const { runtime, sleepInProcessMs } = this.#options
    const name = sleepName(sleepRequest)
    const state = this.#known.kept.get(name)
    const kept = state === undefined ? undefined : Number(JSON.parse(state))
    const until = kept ?? sleepRequest.until().getTime()
    const left = until - runtime.now().getTime()
    if (kept === undefined) await this.#known.keep(name, until)
    if (left <= 0) return 'over'
    if (left <= sleepInProcessMs) {
      await runtime.sleep(left, sleepRequest.signal)
      return 'over'
    }
    this.#wakeAt = Math.min(this.#wakeAt, until)
    return 'suspended'
  }

  #count(place: string): number {
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    return count
  }

  #settledNotice(name: string): QuestionNotice | undefined {
    const { settled } = this
    if (settled === undefined || answerName(settled) !== name) return undefined
    this.settled = undefined
    return noticeOf(this.#job.id, settled)
  }

  #stamp(question: StoredQuestion): StoredQuestion {
    const { runtime, maxSuspendedMs } = this.#options
    const askedAt = runtime.now().getTime()
    const expiresInMs = question.expiresInMs ?? maxSuspendedMs
    const expiresAt = expiresInMs === null ? null : askedAt + expiresInMs
    return { ...question, cardId: runtime.uuid(), askedAt, expiresAt }
  }
}
