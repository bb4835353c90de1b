import type { SuspendOutcome } from '../graph/run-host.ts'
import type { ClaimedJob, JobStore } from '../store/job-store.ts'

/** What a suspended job waits for, as it is stored. */
interface Question {
  readonly vertexId: string
  readonly question: unknown
  /** Counts the questions of this vertex, from 1. */
  readonly number: number
}

/** Answers are kept among the checkpoints, under names that no vertex has. */
const answerName = (vertexId: string, number: number): string => `?${number}?${vertexId}`

export const isAnswerName = (name: string): boolean => /^\?\d+\?/.test(name)

/** The questions of one run of a job (FE-63a). */
export interface Suspension {
  readonly ask: (vertexId: string, question: unknown) => Promise<SuspendOutcome>
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
    const name = answerName(job.question.vertexId, job.question.number)
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
    async ask(vertexId, question) {
      const number = (asked.get(vertexId) ?? 0) + 1
      asked.set(vertexId, number)
      const answer = answers.get(answerName(vertexId, number))
      if (answer !== undefined) return { kind: 'answered', answer: JSON.parse(answer) as unknown }
      // Of several vertices that ask at once, one is answered at a time.
      if (!suspended) {
        suspended = true
        const stored: Question = { vertexId, question, number }
        await queue.suspend(job.id, job.worker, stored)
      }
      return { kind: 'suspended' }
    },
  }
}

function isQuestion(value: unknown): value is Question {
  return typeof value === 'object' && value !== null && 'vertexId' in value && 'number' in value
}
