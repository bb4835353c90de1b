import { createSystemRuntime, type Runtime } from '@x/wire'
import { FlowCompileError, FlowError, isFlowError } from '@x/flow-engine'
import { refuse, Refusal } from '../../refusal.ts'
import { runErrorText } from '../../run-error-text.ts'
import type { BuildJobs, FlowPlan, RunOptions } from '@x/flow-engine'
import { formatRunResponse, type ComponentOutputJson, type RunResponse } from '@x/flow-engine'
import type { RunDoor } from '../../events.ts'
import type { Caller } from '../base/caller.ts'
import type { RunOrigin } from './run-origin.ts'
import type { FlowService } from '../flows/flows.ts'
import type { FlowVersionService, PinnableFlow } from '../flows/flow-versions.ts'
import type { BuildMetadata } from './build-metadata.ts'
import type { EarlierTurn } from './earlier-turns.ts'
import type { Once, OnceJobs } from './once.ts'
import type { PlanCache } from './plan-cache.ts'
import type { RunHandle, Runner } from './runner.ts'
import { refuseAsking, refuseAskingFlow } from './asking-flows.ts'

/** A request for a run. */
export interface RunFlowRequest {
  readonly inputValue: string | null
  readonly inputType: 'chat' | 'text' | 'any'
  readonly outputType: 'chat' | 'text' | 'any' | 'debug'
  readonly outputComponent: string | null
  readonly tweaks: Record<string, unknown> | null
  readonly sessionId: string | null
  readonly context: Record<string, unknown> | null
  /** Variables for this run only. */
  readonly variables: Readonly<Record<string, string>>
  readonly stream: boolean
  /** File paths for the chat input. */
  readonly files?: readonly string[]
}

/** One input of an advanced run. */
export interface AdvancedInput {
  readonly value: string | null
  readonly components: readonly string[]
  readonly type: 'chat' | 'text' | 'any'
}

export interface AdvancedRunRequest {
  readonly inputs: readonly AdvancedInput[] | null
  /** Ids or display names to report; empty: all output components. */
  readonly outputs: readonly string[]
  readonly tweaks: Record<string, unknown> | null
}

/** The caller and limits of a run. */
export interface RunBy {
  readonly signal: AbortSignal
  readonly origin?: RunOrigin | undefined
  /** The run is a job that the same request joins. */
  readonly once?: Once | undefined
}

/** Options for running a conversation. */
export interface OpenRunOptions extends RunBy {
  /** Earlier turns sent by the client, placed before the stored history. */
  readonly earlier?: readonly EarlierTurn[] | undefined
  /** Stored variables and the environment are not read. */
  readonly isAnonymous?: boolean | undefined
  /** Default `run`. */
  readonly door?: RunDoor
}

/** Runs of stored flows. */
export interface RunService {
  /** Allows runs by session (setting `agenticExperience`). */
  readonly bySession: boolean
  readonly runtime: Runtime
  /**
   * Resolves an id or endpoint name for a run by the caller; with a version, the flow has its graph.
   * @throws Refusal 404 if there is none, 403 if it belongs to another user
   */
  find(
    caller: Caller,
    idOrName: string,
    by: { readonly userId: string | null; readonly version?: string | null },
  ): Promise<PinnableFlow>
  /**
   * Refuses a run before an answer in parts begins, if a budget is used up.
   * @throws Refusal 429, StoreUnavailableError
   */
  admit(flow: Pick<PinnableFlow, 'id' | 'userId'>, origin: RunOrigin | undefined): Promise<void>
  /**
   * Starts a run of a conversation.
   * @throws FlowError if the flow cannot be started; Refusal 429 if its owner has too many runs
   */
  open(flow: PinnableFlow, request: RunFlowRequest, by: OpenRunOptions): Promise<RunHandle>
  /** @throws Refusal with the error format of the service */
  run(flow: PinnableFlow, request: RunFlowRequest, by: RunBy): Promise<RunResponse>
  /** Lines of a streaming run, ending with `end` or `error`. @throws Refusal for a key (`once`) */
  stream(flow: PinnableFlow, request: RunFlowRequest, by: RunBy): Promise<AsyncIterable<string>>
  /** Runs the whole flow once for each input, in order. */
  advanced(flow: PinnableFlow, request: AdvancedRunRequest, by: RunBy): Promise<RunResponse>
}

export interface RunServiceOptions {
  readonly flows: Pick<FlowService, 'find'>
  readonly versions: Pick<FlowVersionService, 'pin'>
  readonly runner: Pick<Runner, 'start' | 'admit'>
  readonly jobs: Pick<BuildJobs, 'events'>
  readonly onceJobs: OnceJobs
  readonly plans: PlanCache
  readonly runtime?: Runtime | undefined
  readonly bySession: boolean
}

export function createRunService(service: RunServiceOptions): RunService {
  const { flows, plans, runner, jobs, onceJobs } = service

  const planOf = (flow: PinnableFlow): FlowPlan => {
    if (flow.data === null) throw new FlowError('invalid_flow', `Flow ${flow.id} has no data`)
    const plan = plans.get(flow.id, flow.name, flow.data, flow.version)
    refuseAsking(plan, flow.id)
    return plan
  }
  const startOnce = async (
    flow: PinnableFlow,
    once: Once,
    more: Partial<RunOptions>,
  ): Promise<string> => {
    const metadata: BuildMetadata = {
      ownerId: flow.userId,
      storedFlowId: flow.id,
      isPublic: false,
      logBuilds: true,
      form: 'run',
    }
    const { signal: _, ...options } = more
    return await onceJobs.start(once, {
      flow: planOf(flow),
      mode: 'run',
      flowId: flow.id,
      flowName: flow.name,
      userId: flow.userId,
      ...(flow.version === undefined ? {} : { flowVersion: flow.version }),
      ...options,
      metadata: { ...metadata },
    })
  }
  const start = async (
    flow: PinnableFlow,
    more: Partial<RunOptions>,
    { earlier, isAnonymous, door = 'run' }: Omit<OpenRunOptions, 'signal'> = {},
  ): Promise<RunHandle> => {
    const plan = planOf(flow)
    return await runner.start({
      plan,
      owner: { userId: flow.userId, flowId: flow.id },
      options: { mode: 'run', flowName: flow.name, ...more },
      records: 'run',
      door,
      earlier,
      isAnonymous,
    })
  }
  const finished = async (
    flow: PinnableFlow,
    more: Partial<RunOptions> & { readonly signal: AbortSignal },
    once: Once | undefined,
  ): Promise<RunResponse> => {
    if (once !== undefined)
      return await onceJobs.answer(await startOnce(flow, once, more), more.signal)
    const { run, recorded } = await start(flow, more)
    const result = await run.result
    await recorded
    if (result.status === 'succeeded') return formatRunResponse(result)
    throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
  }

  async function* streamed(
    flow: PinnableFlow,
    more: Partial<RunOptions>,
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const left = new AbortController()
    try {
      const both = AbortSignal.any([signal, left.signal])
      const { run, recorded } = await start(flow, { ...more, signal: both })
      for await (const { event, data } of run) if (isStreamed(event)) yield line(event, data)
      await recorded
      const result = await run.result
      if (result.status !== 'succeeded')
        throw result.error ?? new FlowError('cancelled', 'The run was cancelled')
      yield line('end', { result: formatRunResponse(result) })
    } finally {
      left.abort()
    }
  }
  /** The lines of a job, from the first one; it goes on when its reader leaves. */
  async function* joined(
    jobId: string,
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    for await (const { event, data } of jobs.events(jobId, { signal }))
      if (isStreamed(event)) yield line(event, data)
    yield line('end', { result: await onceJobs.answer(jobId, signal) })
  }

  return {
    bySession: service.bySession,
    runtime: service.runtime ?? createSystemRuntime(),
    async find(caller, idOrName, { userId, version = null }) {
      const flow = await flows.find(idOrName, { userId, callerId: caller.id })
      if (flow === null) throw refuse(404, `Flow identifier ${idOrName} not found`)
      if (flow.userId !== caller.id)
        throw refuse(403, 'You do not have permission to run this flow')
      const pinned = await service.versions.pin(flow, version)
      refuseAskingFlow(plans, pinned)
      return pinned
    },
    admit: ({ id, userId }, origin) =>
      runner.admit({ userId, flowId: id, keyHash: origin?.keyHash }),
    open: (flow, request, { signal, origin, ...more }) =>
      start(flow, { signal, blankTokens: true, ...toOptions(request), ...origin }, more),
    async run(flow, request, { signal, origin, once }) {
      try {
        return await finished(flow, { ...toOptions(request), ...origin, signal }, once)
      } catch (error) {
        throw runRefusal(error, true)
      }
    },
    async stream(flow, request, { signal, origin, once }) {
      const more = { ...toOptions(request), ...origin }
      if (once === undefined) return orError(streamed(flow, more, signal))
      try {
        return orError(joined(await startOnce(flow, once, more), signal))
      } catch (error) {
        throw runRefusal(error, true)
      }
    },
    async advanced(flow, { inputs, outputs, tweaks }, { signal, origin, once }) {
      const [first = NO_INPUT, ...further] = inputs ?? [EMPTY_INPUT]
      const { value, components, type } = first
      try {
        const options = {
          input: { components, type, ...(value === undefined ? {} : { value: value ?? '' }) },
          outputType: outputs.length === 0 ? ('any' as const) : ('debug' as const),
          tweaks: tweaks ?? undefined,
          ...origin,
          signal,
        }
        const { outputs: answers, ...facts } = await finished(flow, options, once)
        const answer = answers.map((run) => ({ ...run, outputs: pick(run.outputs, outputs) }))
        // The graph of a request is built once; further inputs repeat its results.
        const repeated = further.flatMap((input) =>
          answer.map((run) => ({ ...run, inputs: { input_value: input.value ?? '' } })),
        )
        return withoutNulls({ ...facts, outputs: [...answer, ...repeated] })
      } catch (error) {
        throw runRefusal(error, false)
      }
    },
  }
}

function toOptions(request: RunFlowRequest): Partial<RunOptions> {
  const { inputValue, inputType, outputComponent, sessionId, context, variables } = request
  return {
    input: {
      type: inputType,
      ...(inputValue === null ? {} : { value: inputValue }),
      ...(request.files === undefined ? {} : { files: request.files }),
    },
    outputType: request.outputType,
    tweaks: request.tweaks ?? undefined,
    context: context ?? undefined,
    variables,
    stream: request.stream,
    ...(sessionId === null ? {} : { sessionId }),
    ...(outputComponent === null || outputComponent === '' ? {} : { outputComponent }),
  }
}

const EMPTY_INPUT: AdvancedInput = { value: '', components: [], type: 'any' }
/** An empty list of inputs uses the values of the templates. */
const NO_INPUT: Partial<AdvancedInput> = { components: [], type: 'any' }

/** Only the named components, by id or display name; all if none is named. */
function pick(outputs: readonly ComponentOutputJson[], names: readonly string[]) {
  return outputs.filter(
    ({ component_id: id, component_display_name: name }) =>
      names.length === 0 || names.includes(id) || names.includes(name),
  )
}

/** Advanced runs omit null values besides the results. */
function withoutNulls({ outputs, ...facts }: RunResponse): RunResponse {
  const filled = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)) as T
  return {
    ...facts,
    outputs: outputs.map((run) => ({
      ...run,
      outputs: run.outputs.map((output) => ({
        ...filled(output),
        messages: output.messages.map(filled),
      })),
    })),
  }
}

/** A failed run ends its lines with its error. */
async function* orError(
  lines: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  try {
    yield* lines
  } catch (error) {
    if (!isFlowError(error)) throw error
    yield line('error', { error: runErrorText(error) })
  }
}

const isStreamed = (event: string): boolean =>
  event === 'add_message' || event === 'token' || event === 'remove_message'

const line = (event: string, data: unknown): string =>
  `{"event": ${JSON.stringify(event)}, "data": ${JSON.stringify(data)}}\n\n`

/** An error in the flow, not in the server. */
function hasUnknownTypes(error: FlowError): boolean {
  return error instanceof FlowCompileError && error.problems[0]?.code === 'unknown_component'
}

/** The error response of a failed run. */
function runRefusal(error: unknown, asJson: boolean): unknown {
  if (!isFlowError(error) || error.status === 429 || error instanceof Refusal) return error
  if (error.code === 'store_unavailable') return error
  if (error.code === 'invalid_request') return refuse(400, error.detail, { cause: error })
  if (error.code === 'too_large') return refuse(413, error.detail, { cause: error })
  const message = runErrorText(error)
  if (hasUnknownTypes(error)) return refuse(400, message, { cause: error })
  if (message.includes('not found')) return refuse(404, message, { cause: error })
  if (!asJson) {
    const noData = message.endsWith(' has no data')
    return refuse(noData ? 404 : 500, message, { cause: error })
  }
  const detail = { message, traceback: null, description: null, code: null, suggestion: null }
  return refuse(500, JSON.stringify(detail), { cause: error })
}
