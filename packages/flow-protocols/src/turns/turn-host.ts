import type { BuildJobs, FlowPlan, MessageService } from '@x/flow-engine'
import type { JobStore } from '@x/flow-engine/store'
import type { Runtime } from '@x/wire'
import type { ChatKey, TurnNote } from './turn.ts'

/** A flow that a door serves. */
export interface DoorFlow {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly version: string
  readonly plan: FlowPlan
}

/** An earlier message of the request. */
export interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** What a turn runs with. */
export interface TurnRun {
  readonly text: string
  /** Paths for the chat input. */
  readonly files: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  /** Identifies the request, for hooks and traces. */
  readonly origin: Readonly<Record<string, unknown>>
  /** Take the place of the stored history. */
  readonly earlier: readonly EarlierMessage[]
  /** Keeps the states of the job after its end. Default false. */
  readonly keepsStates?: boolean
}

/** How every turn runs: it may be over before it is stored, and nobody asks the job for its result. */
export const TURN_OPTIONS = {
  mode: 'run',
  resumable: true,
  late: true,
  keepsResult: false,
  announceAnswers: true,
  outputType: 'chat',
  stream: true,
  blankTokens: true,
  reasoning: true,
} as const

/** The one place where a door meets the engine: starts runs, and reads what they say. */
export interface TurnHost {
  readonly jobs: Pick<BuildJobs, 'encodedEvents' | 'get' | 'cancel' | 'resume' | 'result'>
  readonly store: JobStore
  readonly runtime: Runtime
  /** Starts the run of a turn, with the events `reasoning`, as a resumable job with `metadata.turn`. Resolves with the job's id. */
  start(key: ChatKey, flow: DoorFlow, run: TurnRun, note: TurnNote): Promise<string>
  /** The stored messages of a user's flow; undefined if none are kept. */
  messages(key: ChatKey): MessageService | undefined
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void
}
