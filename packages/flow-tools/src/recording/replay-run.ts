import { builtinComponents } from '@x/flow-components'
import {
  compileFlow,
  createRegistry,
  type Component,
  type ComponentServices,
  type RunResult,
} from '@x/flow-engine'
import { startRun } from '@x/flow-engine/internal'
import { resolve } from 'node:path'
import { readText, writeText } from '../command/write-files.ts'
import { createAnswers, promptOf, recordedAnswers, unanswered } from './answers.ts'
import { compareResults } from './compare-results.ts'
import { expectedResult } from './expected-result.ts'
import { formatRecorded } from './format-recorded.ts'
import { readRecording } from './read-recording.ts'
import type { RecordingMismatch } from './recording-mismatch.ts'
import type { ExpectedResult } from './recording.ts'
import { createReplayRuntime } from './replay-runtime.ts'
import { createTaped, type Miss } from './taped-services.ts'

export interface ReplayOptions {
  /** Components besides the built-in ones. */
  readonly components?: readonly Component[]
  /** Services that the flow needs besides models, servers, variables and memory. */
  readonly services?: ComponentServices
  readonly signal?: AbortSignal
  /** The folder as messages name it. Default: as given. */
  readonly shown?: string
}

/**
 * Replays a recorded run: nothing is sent, and clock, ids and random numbers are those of the recording. With
 * `X_FLOW_UPDATE=1` the new result is accepted, if each of its requests was recorded.
 * @throws RecordingMismatch with the first difference
 */
export async function replayRun(folder: string, options: ReplayOptions = {}): Promise<RunResult> {
  const { result, mismatch } = await replay(folder, options)
  if (mismatch !== undefined) {
    const accepts = process.env['X_FLOW_UPDATE'] === '1' && mismatch.kind !== 'request'
    if (!accepts) throw mismatch
    await acceptReplay(folder, expectedResult(result))
  }
  return result
}

export interface Replay {
  readonly result: RunResult
  readonly got: ExpectedResult
  readonly mismatch: RecordingMismatch | undefined
  /** Whether each request of the replay was on the tape. */
  readonly isWhole: boolean
}

/** Replays a run and compares it. */
export async function replay(folder: string, options: ReplayOptions = {}): Promise<Replay> {
  const { shown = folder, components = [], services, signal } = options
  const { run, tape, expected, flow } = await readRecording(resolve(folder), shown)
  const runtime = createReplayRuntime(run.startedAt)
  const secrets = Object.fromEntries(run.variables.map((name) => [name, `<secret:${name}>`]))
  const taped = createTaped({
    tape,
    runtime,
    ...(services === undefined ? {} : { services }),
    variables: {
      get: (name) => Promise.resolve(Object.hasOwn(secrets, name) ? (secrets[name] ?? null) : null),
    },
    environment: secrets,
  })
  const misses: Miss[] = []
  const plan = compileFlow(flow, {
    components: createRegistry([...builtinComponents, ...components]),
  })
  const { input, inputs, tweaks, sessionId } = run
  const known = recordedAnswers(run.answers ?? [])
  const answers = createAnswers(async (question) => {
    const found = known.take(question)
    if (found !== undefined) return found.answer
    const { vertexId } = question
    misses.push({ kind: 'answer', vertexId, request: { text: promptOf(question) } })
    throw unanswered()
  })
  const settings = {
    ...(input === undefined ? {} : { input }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(tweaks === undefined ? {} : { tweaks }),
    sessionId,
    runtime,
    services: taped.services,
    hooks: taped.hooks,
    keep: plan.vertexIds,
    signal,
  }
  const result = await startRun(plan, settings, { suspend: answers.suspend }).result
  const got = expectedResult(result)
  const mismatch = compareResults({
    folder: shown,
    expected,
    got,
    misses: [...taped.misses, ...misses],
    entries: tape.entries,
    unused: [
      ...taped.unused(),
      ...known.left.map(({ vertexId }) => ({ kind: 'answer' as const, vertexId })),
    ],
  })
  return { result, got, mismatch, isWhole: taped.misses.length + misses.length === 0 }
}

/** Makes a result the expected one. */
export async function acceptReplay(folder: string, got: ExpectedResult): Promise<boolean> {
  const path = resolve(folder, 'expected.json')
  const text = formatRecorded(got)
  return (await readText(path)) === text ? false : writeText(path, text)
}
