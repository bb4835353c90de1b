import type { RecordedAnswer } from './answers.ts'
import type { NamedInputs, Tweaks } from '@x/flow-engine'
import type { TapeEntry } from '@x/flow-engine/testing'

/** `run.json`: what a recorded run was given. */
export interface RecordedRun {
  readonly version: 1
  /** The flow file, from the folder of the recording. */
  readonly flow: string
  readonly input?: string
  readonly inputs?: NamedInputs
  readonly tweaks?: Tweaks
  readonly sessionId: string
  /** What a person answered, in order. */
  readonly answers?: readonly RecordedAnswer[]
  /** Names of the variables that the run loaded. */
  readonly variables: readonly string[]
  /** The time that the run and its replays see. */
  readonly startedAt: string
}

/** An exchange on the tape, and the vertex that made it. */
export type RecordedEntry = TapeEntry & { readonly vertexId?: string }

/** `cassette.json`: a tape of the engine's cassettes. */
export interface RecordedTape {
  readonly version: 1
  readonly entries: readonly RecordedEntry[]
}

/** One vertex of `expected.json`. */
export interface ExpectedVertex {
  readonly id: string
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly outputs: Readonly<Record<string, unknown>>
  readonly error?: string
}

/** `expected.json`: what a run came to. */
export interface ExpectedResult {
  readonly version: 1
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly text: string | null
  /** In order of first build. */
  readonly vertices: readonly ExpectedVertex[]
}

export interface Recording {
  readonly run: RecordedRun
  readonly tape: RecordedTape
  readonly expected: ExpectedResult
}
