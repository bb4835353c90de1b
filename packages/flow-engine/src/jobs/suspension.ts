import type { Runtime } from '@x/wire'
import type { RunHost } from '../graph/context/run-host.ts'
import type { ClaimedJob, JobStore } from '../store/job-store.ts'

/** What a suspended job waits for, as it is stored. */
interface Question {
  readonly vertexId: string
  readonly question: unknown
  /** Counts the questions of this vertex, in a loop those of this pass, from 1. */
  readonly number: number
  /** Of the outermost loop around the vertex. */
  readonly pass?: number
}

/** Answers are kept among the checkpoints, under names that no vertex has. */
const answerName = ({ vertexId, number, pass }: Omit<Question, 'question'>): string =>
  `?${pass === undefined ? '' : `${pass}.`}${number}?${vertexId}`

export const isAnswerName = (name: string): boolean => /^\?(\d+\.)?\d+\?/.test(name)

/**
 * Answers that were given to earlier runs of the job are given again to the same questions; the
 * first new one suspends the job.
 */
export async function createSuspension(
  { queue, checkpoints }: JobStore,
  job: ClaimedJob,
  {
    kept,
    fence,
    runtime,
  }: {
    readonly kept: ReadonlyMap<string, string>
    readonly fence?: number | undefined
    readonly runtime: Runtime
  },
): Promise<Suspension> {
  const answers = new Map(kept)
  if (isQuestion(job.question)) {
    const name = answerName(job.question)
    if (!answers.has(name)) {
      const answer = JSON.stringify(job.answer ?? null)
      answers.set(name, answer)
      await checkpoints.put(job.id, name, answer, fence)
    }
  }
  return new Suspension({ queue, runtime }, job, answers)
}

/** The questions of one run of a job (FE-63a). */
export class Suspension {
  readonly #queue: JobStore['queue']
  readonly #runtime: Runtime
  readonly #job: ClaimedJob
  /** By name of the question. */
  readonly #answers: ReadonlyMap<string, string>
  /** How often a vertex has asked, by its place. */
  readonly #asked = new Map<string, number>()
  #question: Question | undefined

  constructor(
    { queue, runtime }: Pick<JobStore, 'queue'> & { readonly runtime: Runtime },
    job: ClaimedJob,
    answers: ReadonlyMap<string, string>,
  ) {
    this.#queue = queue
    this.#runtime = runtime
    this.#job = job
    this.#answers = answers
  }

  /** Whether a question was kept. */
  get suspended(): boolean {
    return this.#question !== undefined
  }

  /**
   * Stores the question, when the run is at rest: an answer that came while another vertex ran would
   * start the job a second time (DR-1). False when another process has taken the job.
   */
  store(): Promise<boolean> {
    const rest = { question: this.#question, askedAt: this.#runtime.now(), wakeAt: null }
    return this.#queue.suspend(this.#job.id, this.#job.worker, rest)
  }

  readonly ask: NonNullable<RunHost['suspend']> = async (vertexId, question, pass) => {
    // The passes of a loop are not all repeated: each counts for itself.
    const place = `${pass ?? ''}?${vertexId}`
    const number = (this.#asked.get(place) ?? 0) + 1
    this.#asked.set(place, number)
    const about = { vertexId, number, ...(pass === undefined ? {} : { pass }) }
    const answer = this.#answers.get(answerName(about))
    if (answer !== undefined) return { kind: 'answered', answer: JSON.parse(answer) as unknown }
    // Of several vertices that ask at once, one is answered at a time.
    this.#question ??= { ...about, question }
    return { kind: 'suspended' }
  }
}

function isQuestion(value: unknown): value is Question {
  return typeof value === 'object' && value !== null && 'vertexId' in value && 'number' in value
}
