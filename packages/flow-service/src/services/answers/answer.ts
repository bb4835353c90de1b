import { FlowError } from '@x/flow-engine'
import { RunEnding } from '@x/flow-engine/internal'
import { FinishedRun } from '@x/flow-engine/internal'
import type { RunResult } from '@x/flow-engine'
import type { FlowRecord } from '../../store/flows.ts'
import { createAnswerTools, type AnswerTool } from './answer-tools.ts'
import type { EarlierTurn } from '../runs/earlier-turns.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import type { RunFlowRequest, RunService } from '../runs/run-service.ts'

/** A question to a flow used as a chat model. */
export interface Question {
  readonly text: string
  readonly sessionId: string
  /** Earlier turns sent by the client; they are not stored. */
  readonly earlier: readonly EarlierTurn[]
  readonly variables: Readonly<Record<string, string>>
  /** File paths for the chat input. */
  readonly files?: readonly string[]
  readonly stream: boolean
  /** Number of chat outputs of the flow. If there is exactly one, its text is streamed. */
  readonly chatOutputs: number
  /** False omits tool calls of agents. Default true. */
  readonly wantsTools?: boolean
  /** Maximum duration of the run, in milliseconds. Default: none. */
  readonly timeoutMs?: number
  readonly origin?: RunOrigin | undefined
  /** Default `responses`. */
  readonly door?: 'responses' | 'chat'
}

/** The events of an answer, in order, ending with exactly one `end`. A failed run throws instead. */
export type AnswerEvent =
  | { readonly kind: 'text'; readonly text: string; readonly messageId: string }
  | { readonly kind: 'tool'; readonly tool: AnswerTool }
  /** The run waits for a person's answer; jobs only. */
  | { readonly kind: 'asked' }
  | { readonly kind: 'end'; readonly answer: FlowAnswer }

/** The complete answer of a flow. */
export interface FlowAnswer {
  /** The first non-empty text of a chat output, in node order; else "". */
  readonly text: string
  readonly tools: readonly AnswerTool[]
  /** Null if no model reported usage. */
  readonly usage: RunResult['usage'] | null
}

/** The run of a question exceeded its time limit. */
export class RunTimeout extends FlowError {
  constructor(timeoutMs: number) {
    super('limit_exceeded', `The run took longer than ${timeoutMs / 1000} seconds.`, {
      status: 504,
    })
  }
}

/**
 * Runs a flow for one question. The run is cancelled when the reader stops.
 * @throws FlowError if the run fails or is cancelled
 */
export async function* ask(
  runs: Pick<RunService, 'open' | 'runtime'>,
  flow: FlowRecord,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void, undefined> {
  const { timeoutMs, wantsTools = true } = question
  const { runtime } = runs
  const ends = new RunEnding({ signal, timeoutMs, runtime })
  let isOver = false
  try {
    const { run, recorded } = await runs.open(flow, toRequest(question), {
      signal: ends.signal,
      earlier: question.earlier,
      origin: question.origin,
      door: question.door ?? 'responses',
    })
    const tools = createAnswerTools()
    const isLive = question.stream && question.chatOutputs === 1
    // The data of an event is computed on first access.
    for await (const runEvent of isLive || wantsTools ? run : []) {
      if (runEvent.event === 'token' && isLive)
        yield { kind: 'text', text: runEvent.data.chunk, messageId: runEvent.data.id }
      else if (runEvent.event === 'add_message' && wantsTools)
        for (const tool of tools.read(runEvent.data)) yield { kind: 'tool', tool }
    }
    const result = await run.result
    isOver = true
    await recorded
    if (result.status !== 'succeeded') {
      if (ends.isLate) throw new RunTimeout(timeoutMs ?? 0)
      throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
    }
    for (const tool of tools.rest()) yield { kind: 'tool', tool }
    yield { kind: 'end', answer: { ...answerFromRun(result), tools: tools.all() } }
  } finally {
    if (!isOver) ends.abort()
    ends.close()
  }
}

/**
 * Runs a flow to its end.
 * @throws FlowError if the run fails or is cancelled
 */
export async function askWhole(events: AsyncIterable<AnswerEvent>): Promise<FlowAnswer> {
  let answer: FlowAnswer | undefined
  for await (const event of events) if (event.kind === 'end') ({ answer } = event)
  if (answer === undefined) throw new FlowError('cancelled', 'The run was cancelled')
  return answer
}

function toRequest({ text, sessionId, variables, files, stream }: Question): RunFlowRequest {
  return {
    ...(files === undefined || files.length === 0 ? {} : { files }),
    inputValue: text,
    inputType: 'chat',
    outputType: 'chat',
    outputComponent: null,
    tweaks: null,
    sessionId,
    context: null,
    variables,
    stream,
  }
}

/** Text and usage of a successful run. */
export function answerFromRun(result: RunResult): Pick<FlowAnswer, 'text' | 'usage'> {
  return { text: textOf(result), usage: usageOf(result) }
}

function textOf(result: RunResult): string {
  const texts = result.outputs.map(({ id }) => result.text(id) ?? '')
  const text = texts.find((value) => value !== '') ?? ''
  return FinishedRun.notesOf(result)?.secrets?.mask(text) ?? text
}

function usageOf({ usage }: RunResult): RunResult['usage'] | null {
  return usage.inputTokens + usage.outputTokens === 0 ? null : usage
}
