import { isObject, type Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { runErrorText } from '../run-error-text.ts'
import { graphOf } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import { questionAfter, RunEnding } from '@x/flow-engine/internal'
import type { BuildJobs, PendingQuestion } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import { fromElicitation, toElicitation, type ElicitationResult } from '@x/flow-engine'
import type { JobSecretBox } from '@x/flow-engine'
import { invalidParams, type RpcError } from './json-rpc.ts'
import type { ElicitedAnswer } from './mcp-server.ts'
import { ProgressReport, type Progress } from './progress.ts'
import { nameIn } from './run-tool.ts'
import {
  failedResult,
  toolResult,
  type InputRequired,
  type LinkOf,
  type ToolResult,
} from './tool-result.ts'

/** A call of a tool whose flow asks the user a question. */
export interface AskingCall {
  /** Identifies caller and tool: states of other callers are not accepted. */
  readonly scope: string
  /** Name of the flow, for error messages. */
  readonly flowName: string
  readonly plan: FlowPlan
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly linkOf?: LinkOf
}

/** Runs flows with questions as jobs that wait for the client's user. */
export interface AskingTools {
  /** Runs the flow to its end or its first question. */
  start(call: AskingCall, request: BuildRequest): Promise<ToolResult | InputRequired>
  /**
   * Continues a run with the user's answer.
   * @throws RpcError -32602 for an invalid state
   */
  resume(call: AskingCall, answer: ElicitedAnswer): Promise<ToolResult | InputRequired>
}

export interface AskingToolsOptions {
  readonly jobs: Omit<BuildJobs, 'start'>
  /** Queues the run of a call. */
  readonly enqueue: (request: BuildRequest) => Promise<{ readonly id: string }>
  /** Seals the state that clients carry between calls. */
  readonly box: JobSecretBox
  readonly runtime: Runtime
}

/** How long a client may take to answer, in milliseconds. */
const MAX_ANSWER_MS = 3_600_000
/** The name of the only form in a result. */
const FORM = 'answer'

/** The state carried by the client. */
interface Waiting {
  readonly job: string
  readonly request: string
  /** `seq` of the event that announced the question. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly until: number
}

export function createAskingTools({
  jobs,
  enqueue,
  box,
  runtime,
}: AskingToolsOptions): AskingTools {
  const now = (): number => runtime.now().getTime()
  const cancel = async (jobId: string): Promise<void> => {
    await jobs.cancel(jobId).catch(() => undefined)
  }

  const ask = async (
    { scope }: AskingCall,
    question: PendingQuestion,
    seq: number,
  ): Promise<InputRequired> => {
    const { jobId: job, requestId: request, expiresAt } = question
    const until = Math.min(now() + MAX_ANSWER_MS, expiresAt?.getTime() ?? Infinity)
    const state = JSON.stringify({ job, request, seq, until } satisfies Waiting)
    const params = { mode: 'form', ...toElicitation(question) }
    return {
      resultType: 'input_required',
      inputRequests: { [FORM]: { method: 'elicitation/create', params } },
      requestState: await box.seal(state, contextOf(scope)),
    }
  }

  /** Follows a job to its end or its next question. */
  const follow = async (
    call: AskingCall,
    jobId: string,
    after: number,
  ): Promise<ToolResult | InputRequired> => {
    const { plan, progress, flowName, timeoutMs } = call
    const ends = new RunEnding({ ...call, runtime })
    const { signal } = ends
    const report = progress && new ProgressReport({ send: progress, nameOf: nameIn(plan), runtime })
    try {
      for await (const event of jobs.events(jobId, { after, signal })) {
        report?.take(event)
        if (event.event !== 'suspended') continue
        const question = await questionAfter({ jobs, runtime }, jobId, { seq: event.seq, signal })
        if (question !== undefined) return await ask(call, question, event.seq)
      }
      const result = await jobs.result(jobId, { signal })
      if (result.status !== 'succeeded') {
        const { detail = 'The run was cancelled' } = result.error ?? {}
        const text = result.error === undefined ? detail : runErrorText(result.error)
        return failedResult(`Error Executing the ${flowName} tool. Error: ${text}`)
      }
      report?.finish()
      const own = toolResult(result, call.linkOf)
      return result.outputs.length > 0 ? own : await loggedResult(jobs, jobId, plan)
    } catch (error) {
      if (!signal.aborted) throw error
      await cancel(jobId)
      const text = ends.isLate
        ? `The run took longer than ${timeoutMs / 1000} seconds.`
        : `Error Executing the ${flowName} tool. Error: The run was cancelled`
      return failedResult(text)
    } finally {
      ends.close()
    }
  }

  const read = async (scope: string, state: string): Promise<Waiting> => {
    const text = await box.open(state, contextOf(scope))
    if (text === null) throw invalidState()
    const waiting = JSON.parse(text) as Waiting
    if (waiting.until > now()) return waiting
    await cancel(waiting.job)
    throw invalidState()
  }

  return {
    async start(call, request) {
      const job = await enqueue({
        ...request,
        mode: 'run',
        resumable: true,
        maxSuspendedMs: MAX_ANSWER_MS,
      })
      return await follow(call, job.id, -1)
    },
    async resume(call, { requestState, inputResponses }) {
      const { job: jobId, request: requestId, seq } = await read(call.scope, requestState)
      const question = (await jobs.get(jobId))?.question
      if (question?.requestId !== requestId) throw invalidState()
      const form = readForm(inputResponses[FORM])
      if (form === undefined) return await ask(call, question, seq)
      const answer = fromElicitation(question, form)
      if (answer === undefined && form.action !== 'accept') {
        await cancel(jobId)
        return failedResult('The user declined.')
      }
      try {
        await jobs.resume(jobId, answer ?? null, { requestId })
      } catch (error) {
        if (!isFlowError(error)) throw error
        const { code } = error
        if (code === 'invalid_answer' || code === 'too_large') return await ask(call, question, seq)
        throw code === 'conflict' || code === 'not_found' ? invalidState() : error
      }
      return await follow(call, jobId, seq)
    },
  }
}

function contextOf(scope: string): string {
  return `mcp request state ${scope}`
}

function invalidState(): RpcError {
  return invalidParams('Invalid or expired requestState')
}

function readForm(value: unknown): ElicitationResult | undefined {
  if (!isObject(value)) return undefined
  const { action, content } = value
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
  return { action, ...(isObject(content) ? { content } : {}) }
}

/** The texts of a job that ended in another process, read from its log, in node order. */
async function loggedResult(
  jobs: Pick<BuildJobs, 'events'>,
  jobId: string,
  plan: FlowPlan,
): Promise<ToolResult> {
  const texts = new Map<string, string[]>()
  for await (const { event, data } of jobs.events(jobId)) {
    if (event !== 'end_vertex') continue
    const results = Object.values(data.build_data.data.results)
    const found = results.map((result) => (isObject(result) ? result['text'] : result))
    texts.set(
      data.build_data.id,
      found.filter((text): text is string => typeof text === 'string'),
    )
  }
  const vertices = graphOf(plan)?.vertices ?? []
  const outputs = vertices.filter(({ role }) => role === 'output')
  const all = new Set(outputs.flatMap(({ id }) => texts.get(id) ?? []))
  return { content: Array.from(all, (text) => ({ type: 'text' as const, text })), isError: false }
}
