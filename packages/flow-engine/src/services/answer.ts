import { FlowError } from '../errors.ts'
import { FinishedRun } from '../graph/results/finished-run.ts'
import type { RunResult } from '../graph/context/run-options.ts'
import type { FlowRecord } from '../store/flows.ts'
import { createAnswerTools, type AnswerTool } from './answer-tools.ts'
import type { EarlierTurn } from './earlier-turns.ts'
import type { RunFlowRequest, RunService } from './run-flow.ts'

/** A question to a flow that is used as a chat model. */
export interface Question {
  readonly text: string
  readonly sessionId: string
  /** Turns that the client keeps; stored nowhere. */
  readonly earlier: readonly EarlierTurn[]
  readonly variables: Readonly<Record<string, string>>
  /** Paths of files for the chat input. */
  readonly files?: readonly string[]
  readonly stream: boolean
  /** How many chat outputs the flow has: pieces of a text are sent as they come when it is one. */
  readonly chatOutputs: number
}

/** What comes of a question, in order; `end` is last, once. A failed run throws instead. */
export type AnswerEvent =
  | { readonly kind: 'text'; readonly text: string; readonly messageId: string }
  | { readonly kind: 'tool'; readonly tool: AnswerTool }
  | { readonly kind: 'end'; readonly answer: FlowAnswer }

/** The whole answer of a flow. */
export interface FlowAnswer {
  /** The first text of a chat output that is not empty, in node order; else "". */
  readonly text: string
  readonly tools: readonly AnswerTool[]
  /** Null when no model counted. */
  readonly usage: RunResult['usage'] | null
}

/**
 * Runs a flow for one question. The run ends when the reader stops reading.
 * @throws FlowError when the run fails or is cancelled
 */
export async function* ask(
  runs: Pick<RunService, 'open'>,
  flow: FlowRecord,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void, undefined> {
  const left = new AbortController()
  try {
    const { run, recorded } = runs.open(flow, toRequest(question), {
      signal: AbortSignal.any([signal, left.signal]),
      earlier: question.earlier,
    })
    const tools = createAnswerTools()
    const isLive = question.stream && question.chatOutputs === 1
    for await (const { event, data } of run) {
      if (event === 'token' && isLive) yield { kind: 'text', text: data.chunk, messageId: data.id }
      else if (event === 'add_message')
        for (const tool of tools.read(data)) yield { kind: 'tool', tool }
    }
    const result = await run.result
    await recorded
    if (result.status !== 'succeeded')
      throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
    for (const tool of tools.rest()) yield { kind: 'tool', tool }
    yield {
      kind: 'end',
      answer: { text: textOf(result), tools: tools.all(), usage: usageOf(result) },
    }
  } finally {
    left.abort()
  }
}

/**
 * Runs a flow to its end.
 * @throws FlowError when the run fails or is cancelled
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

function textOf(result: RunResult): string {
  const texts = result.outputs.map(({ id }) => result.text(id) ?? '')
  const text = texts.find((value) => value !== '') ?? ''
  return FinishedRun.notesOf(result)?.secrets?.mask(text) ?? text
}

function usageOf({ usage }: RunResult): RunResult['usage'] | null {
  return usage.inputTokens + usage.outputTokens === 0 ? null : usage
}
