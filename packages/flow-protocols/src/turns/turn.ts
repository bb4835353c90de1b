import type { StoredJob } from '@x/flow-engine/store'
import { isObject } from '@x/wire'

/** A conversation of one user with one flow. */
export interface ChatKey {
  readonly userId: string
  readonly flowId: string
  /** The session of its runs. */
  readonly chatId: string
}

/** The doors, by name. */
export type DoorName = 'ai-sdk' | 'ag-ui' | 'a2a'

/** What is stored with the job of a turn. */
export interface TurnNote {
  readonly door: DoorName
  /** Of the user's message. */
  readonly messageId: string
  /** Of its content, so that a repeated request is recognised. */
  readonly digest: string
  /** Parts of the user's message, as the door shows them again. */
  readonly parts: readonly Readonly<Record<string, unknown>>[]
  /** What else the door keeps. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** One request and what the flow answers to it: a job. */
export interface Turn {
  readonly id: string
  readonly job: StoredJob
  readonly note: TurnNote
}

/** The turn of a job; undefined for a job that no door has started. */
export function turnOf(job: StoredJob): Turn | undefined {
  if (!job.request.includes('"turn":{')) return undefined
  const request: unknown = JSON.parse(job.request)
  const metadata: unknown = isObject(request) ? request['metadata'] : undefined
  const note: unknown = isObject(metadata) ? metadata['turn'] : undefined
  if (!isObject(note) || typeof note['door'] !== 'string') return undefined
  return { id: job.id, job, note: note as unknown as TurnNote }
}

/** Milliseconds that a turn took until its end, or its question. */
export function durationOf({ createdAt, finishedAt, askedAt }: StoredJob): number {
  const end = finishedAt ?? askedAt ?? createdAt
  return Math.max(0, end.getTime() - createdAt.getTime())
}

/** Tokens of all models of the turn; undefined if none was counted. */
export function usageOf({ usage }: Pick<StoredJob, 'usage'>) {
  if (usage === null) return undefined
  let inputTokens = 0
  let outputTokens = 0
  for (const one of Object.values(usage)) {
    inputTokens += one.inputTokens
    outputTokens += one.outputTokens
  }
  const totalTokens = inputTokens + outputTokens
  return totalTokens === 0 ? undefined : { inputTokens, outputTokens, totalTokens }
}
