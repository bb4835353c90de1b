import { createSystemRuntime } from '@x/wire'
import { errorText, FlowError, invalidRequest, isFlowError } from '../errors.ts'
import { runFlow } from '../graph/run/run-flow.ts'
import type { FlowDraft } from '../graph/draft/flow-draft.ts'
import type { FlowJson } from '../graph/flow/flow-json.ts'
import type { FlowPlan } from '../graph/plan/compile.ts'
import type { TypedPart } from '../graph/run/typed-run.ts'
import type { RunInput, RunOptions, RunResult, Tweaks } from '../graph/context/run-options.ts'
import type { EvaluatedExample, EvaluatedScore } from './evaluated-example.ts'
import { createEvaluation, type Evaluation } from './evaluation.ts'

/** One example of a data set. */
export interface EvalExample {
  /** Default: its number in the data set, from 1. */
  readonly id?: string
  readonly input?: string | RunInput
  readonly inputs?: RunOptions['inputs']
  readonly tweaks?: Tweaks
  /** The value scorers compare with. */
  readonly expected?: unknown
}

/** From 0 to 1; values outside are clamped. */
export type Score = number | boolean | { readonly score: number; readonly reason?: string }

/** Scores one run. */
export type Scorer<E extends EvalExample = EvalExample> = (run: {
  readonly example: E
  readonly result: RunResult
  /** `result.text()`. */
  readonly text: string | undefined
}) => Score | Promise<Score>

export interface EvaluateOptions extends RunOptions {
  /** Concurrent examples. Default 4. */
  readonly concurrency?: number
  /** Minimum passing score, for all scorers or for each. Default 1. */
  readonly pass?: number | Readonly<Record<string, number>>
  /** Runs of each example, 1 to 100; the second is called `<id>#2`. Default 1. */
  readonly repeat?: number
  /** Called when an example ends. */
  readonly onExample?: (example: EvaluatedExample) => void
}

const MAX_REPEAT = 100

/**
 * Runs a flow once for each example and scores the results. An example whose run fails or whose scorer
 * throws scores 0; the evaluation continues.
 * @throws FlowError `invalid_request` for invalid options
 */
export async function evaluateFlow<
  F extends FlowPlan | FlowJson | FlowDraft,
  E extends EvalExample & TypedPart<F, 'input' | 'inputs' | 'tweaks'>,
>(
  flow: F,
  dataset: Iterable<E> | AsyncIterable<E>,
  scorers: Readonly<Record<string, Scorer<E>>>,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const { concurrency = 4, pass = 1, repeat = 1, onExample, ...run } = options
  if (!(concurrency >= 1)) throw invalidRequest('concurrency must be a number of at least 1')
  if (!(Number.isInteger(repeat) && repeat >= 1 && repeat <= MAX_REPEAT))
    throw invalidRequest(`repeat must be an integer from 1 to ${MAX_REPEAT}`)
  const runtime = run.runtime ?? createSystemRuntime()
  const startedAt = runtime.now().getTime()
  const done: EvaluatedExample[] = []
  const cases = casesOf(dataset, repeat)[Symbol.asyncIterator]()
  const work = async (): Promise<void> => {
    for (;;) {
      const next = await cases.next()
      if (next.done === true) return
      const { example, id, index } = next.value
      const context = { flow, scorers, pass, run, session: runtime.uuid(), id }
      const evaluated = await evaluateExample(example, context)
      done[index] = evaluated
      onExample?.(evaluated)
    }
  }
  await Promise.all(Array.from({ length: Math.floor(concurrency) }, work))
  const durationMs = Math.max(0, runtime.now().getTime() - startedAt)
  return createEvaluation(done, Object.keys(scorers), durationMs)
}

interface Case<E> {
  readonly example: E
  readonly id: string
  readonly index: number
}

async function* casesOf<E extends EvalExample>(
  dataset: Iterable<E> | AsyncIterable<E>,
  repeat: number,
): AsyncGenerator<Case<E>> {
  let number = 0
  let index = 0
  for await (const example of dataset) {
    number += 1
    for (let round = 1; round <= repeat; round += 1) {
      const id = example.id ?? String(number)
      yield { example, id: round === 1 ? id : `${id}#${round}`, index }
      index += 1
    }
  }
}

interface ExampleContext<E extends EvalExample> {
  readonly flow: FlowPlan | FlowJson | FlowDraft
  readonly scorers: Readonly<Record<string, Scorer<E>>>
  readonly pass: number | Readonly<Record<string, number>>
  readonly run: RunOptions
  readonly session: string
  readonly id: string
}

async function evaluateExample<E extends EvalExample>(
  example: E,
  { flow, scorers, pass, run, session, id }: ExampleContext<E>,
): Promise<EvaluatedExample> {
  const { input, inputs, tweaks } = example
  const asked: RunOptions = {
    ...run,
    sessionId: session,
    ...(input === undefined ? {} : { input }),
    ...(inputs === undefined ? {} : { inputs: { ...run.inputs, ...inputs } }),
    ...(tweaks === undefined ? {} : { tweaks: { ...run.tweaks, ...tweaks } }),
  }
  const usage = { inputTokens: 0, outputTokens: 0 }
  const names = Object.keys(scorers)
  const expected = expectedText(example)
  const named = expected === undefined ? { id } : { id, expected }
  let result: RunResult
  try {
    result = await runFlow(flow, asked).result
    if (result.status !== 'succeeded')
      throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
  } catch (error) {
    return {
      ...named,
      passed: false,
      text: null,
      scores: noScores(names),
      error: describeError(error),
      durationMs: 0,
      usage,
    }
  }
  const text = result.text()
  const scores: Record<string, EvaluatedScore> = {}
  let failure: unknown
  for (const [name, score] of Object.entries(scorers)) {
    const needed = typeof pass === 'number' ? pass : (pass[name] ?? 1)
    try {
      scores[name] = judged(await score({ example, result, text }), needed)
    } catch (error) {
      failure ??= error
      scores[name] = { score: 0, passed: false, reason: errorText(error) }
    }
  }
  return {
    ...named,
    passed: failure === undefined && Object.values(scores).every(({ passed }) => passed),
    text: text ?? null,
    scores,
    ...(failure === undefined ? {} : { error: describeError(failure) }),
    durationMs: result.durationMs,
    usage: result.usage,
  }
}

function expectedText({ expected }: EvalExample): string | undefined {
  return typeof expected === 'string' ? expected : JSON.stringify(expected)
}

function judged(given: Score, needed: number): EvaluatedScore {
  const { score, reason } =
    typeof given === 'object' ? given : { score: Number(given), reason: undefined }
  if (typeof score !== 'number' || Number.isNaN(score))
    throw new TypeError(`A score must be a number from 0 to 1, got ${String(score)}`)
  const cut = Math.min(1, Math.max(0, score))
  return { score: cut, passed: cut >= needed, ...(reason === undefined ? {} : { reason }) }
}

function noScores(names: readonly string[]): Record<string, EvaluatedScore> {
  return Object.fromEntries(names.map((name) => [name, { score: 0, passed: false }]))
}

function describeError(error: unknown): { code: string; message: string } {
  return { code: isFlowError(error) ? error.code : 'component_failed', message: errorText(error) }
}
