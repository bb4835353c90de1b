import type { Runtime } from '@x/wire'
import { FlowError, isFlowError } from '@x/flow-engine'
import { runErrorText } from '../run-error-text.ts'
import { graphOf } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import { RunEnding } from '@x/flow-engine/internal'
import type { FlowRun, RunResult, Tweaks } from '@x/flow-engine'
import { argumentProblem } from './check-arguments.ts'
import { toolInputsOf } from './input-schema.ts'
import { reportProgress, type Progress } from './progress.ts'
import { failedResult, toolResult, type LinkOf, type ToolResult } from './tool-result.ts'

/** The interpretation of a call's arguments. */
export interface ToolGiven {
  /** Text of the chat input; undefined if the flow has none. */
  readonly input: string | undefined
  /** Null for a new session. */
  readonly sessionId: string | null
  readonly tweaks: Tweaks | undefined
}

/** A run requested by a tool call. */
export interface ToolRunRequest extends ToolGiven {
  readonly signal: AbortSignal
}

/** A run started for a tool call. */
export interface ToolRun {
  readonly run: FlowRun
  /** Resolves when all records of the run are stored. */
  readonly recorded?: Promise<void>
}

export interface RunToolOptions {
  /** Name of the flow, for error messages. */
  readonly flowName: string
  readonly plan: FlowPlan
  readonly args: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly runtime: Runtime
  readonly start: (request: ToolRunRequest) => ToolRun | Promise<ToolRun>
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly linkOf?: LinkOf
}

/** Shown to clients that cannot ask their user. */
export const ASKS = 'This flow asks a person; the client cannot.'

/** Of a component that asks without saying so, no client could be asked. */
function asking(plan: FlowPlan, { vertexId = '' }: Pick<FlowError, 'vertexId'>): string {
  const graph = graphOf(plan)
  const vertex = graph?.vertices[graph.indexOf.get(vertexId) ?? -1]
  if (vertex === undefined || vertex.component.suspends !== undefined) return ASKS
  return `This flow asks a person, but ${vertex.type} does not declare suspends: true.`
}

/** Runs a flow for one call; every failure of the run is returned as a result. */
export async function runTool(options: RunToolOptions): Promise<ToolResult> {
  const { plan, args, flowName, timeoutMs } = options
  const given = readArguments(plan, args)
  if (typeof given === 'string') return failedResult(given)
  const ends = new RunEnding(options)
  try {
    const started = await options.start({ ...given, signal: ends.signal })
    const result = await finished(started, options)
    if (result.status === 'succeeded') return toolResult(result, options.linkOf)
    throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
  } catch (error) {
    if (!isFlowError(error)) throw error
    if (ends.isLate) return failedResult(`The run took longer than ${timeoutMs / 1000} seconds.`)
    if (error.code === 'not_resumable') return failedResult(asking(plan, error))
    const text = runErrorText(error)
    return failedResult(`Error Executing the ${flowName} tool. Error: ${text}`)
  } finally {
    ends.close()
  }
}

async function finished(
  { run, recorded }: ToolRun,
  { progress, plan, runtime }: RunToolOptions,
): Promise<RunResult> {
  if (progress !== undefined)
    await reportProgress(run, { send: progress, nameOf: nameIn(plan), runtime })
  const result = await run.result
  await recorded
  return result
}

/** Display names of vertices, for progress reports. */
export function nameIn(plan: FlowPlan): (vertexId: string) => string {
  const graph = graphOf(plan)
  return (id) => graph?.vertices[graph.indexOf.get(id) ?? -1]?.displayName ?? id
}

/**
 * `session_id` is the session of the run, `input_value` its input if there is a chat input; all other
 * arguments are tweaks. Returns a string that describes the problem if an argument is invalid.
 */
export function readArguments(plan: FlowPlan, args: ToolArguments): ToolGiven | string {
  const { schema, vertices, hasChatInput } = toolInputsOf(plan)
  const problem = argumentProblem(schema, args)
  if (problem !== undefined) return `Input validation error: ${problem}`
  const { session_id: session, ...given } = args
  const { input_value: input = '' } = given
  const names = Object.keys(given).filter((name) => !hasChatInput || name !== 'input_value')
  const tweaked = vertices.flatMap(({ id, fields }) => {
    const chosen = names.filter((name) => fields.has(name)).map((name) => [name, given[name]])
    return chosen.length === 0 ? [] : [[id, Object.fromEntries(chosen)] as const]
  })
  return {
    input: hasChatInput && typeof input === 'string' ? input : undefined,
    sessionId: typeof session === 'string' && session !== '' ? session : null,
    tweaks: tweaked.length === 0 ? undefined : Object.fromEntries(tweaked),
  }
}

type ToolArguments = Readonly<Record<string, unknown>>
