import type { RunHost } from '../graph/run-host.ts'
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

/** The questions of one run of a job (FE-63a). */
export interface Suspension {
  readonly ask: NonNullable<RunHost['suspend']>
  /** Whether a question was kept: the job rests. */
  readonly suspended: boolean
}

/**
 * Answers that were given to earlier runs of the job are given again to the same questions; the
 * first new one suspends the job.
 */
export async function createSuspension(
  { queue, checkpoints }: JobStore,
  job: ClaimedJob,
  kept: ReadonlyMap<string, string>,
): Promise<Suspension> {
  const answers = new Map(kept)
  const asked = new Map<string, number>()
  let suspended = false
  if (isQuestion(job.question)) {
    const name = answerName(job.question)
    if (!answers.has(name)) {
      const answer = JSON.stringify(job.answer ?? null)
      answers.set(name, answer)
      await checkpoints.put(job.id, name, answer)
    }
  }
  return {
    get suspended() {
      return suspended
    },
    async ask(vertexId, question, pass) {
      // The passes of a loop are not all repeated: each counts for itself.
      const place = `${pass ?? ''}?${vertexId}`
      const number = (asked.get(place) ?? 0) + 1
      asked.set(place, number)
      const about = { vertexId, number, ...(pass === undefined ? {} : { pass }) }
      const answer = answers.get(answerName(about))
      if (answer !== undefined) return { kind: 'answered', answer: JSON.parse(answer) as unknown }
      // Of several vertices that ask at once, one is answered at a time.
      if (!suspended) {
        suspended = true
        const stored: Question = { ...about, question }
        await queue.suspend(job.id, job.worker, stored)
      }
      return { kind: 'suspended' }
    },
  }
}

function isQuestion(value: unknown): value is Question {
  return typeof value === 'object' && value !== null && 'vertexId' in value && 'number' in value
}
