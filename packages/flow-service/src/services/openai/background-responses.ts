import type { Runtime } from '@x/wire'
import type { EmitFlowEvent } from '../../events.ts'
import type { BuildJobs, JobRecord } from '@x/flow-engine'
import type { BuildRequest } from '@x/flow-engine'
import type { FlowRun } from '@x/flow-engine'
import type { FlowPlan } from '@x/flow-engine'
import { FlowError, isFlowError } from '@x/flow-engine'
import { runErrorText } from '../../run-error-text.ts'
import { questionAfter } from '@x/flow-engine/internal'
import type { FlowRecord } from '../../store/flows.ts'
import { answerFromRun, type AnswerEvent, type Question } from '../answers/answer.ts'
import { createAnswerTools } from '../answers/answer-tools.ts'
import type { BuildMetadata } from '../runs/build-metadata.ts'
import type { Runner } from '../runs/runner.ts'
import { OpenAiRefusal } from './openai-refusal.ts'
import {
  eventText,
  numberedEvents,
  type NumberedEvent,
  type ResponseEventsOptions,
} from './openai-response-events.ts'
import {
  formatOpenAiResponse,
  messageItem,
  type OpenAiResponseMetadata,
  type OpenAiResponseJson,
} from './openai-response-format.ts'
import type {
  BackgroundLink,
  BackgroundResult,
  StoredResponse,
  StoredResponses,
} from './stored-responses.ts'

/** Responses whose runs are jobs that outlive their requests. */
export interface BackgroundResponses {
  /** @throws OpenAiRefusal 429, 503 */
  start(given: BackgroundStart): Promise<BackgroundLink>
  /** The response in its current state. */
  read(stored: BackgroundResponse): Promise<OpenAiResponseJson>
  /** Serialised live events with numbers above `after`. */
  events(
    stored: BackgroundResponse,
    options: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined>
  cancel(stored: BackgroundResponse): Promise<void>
  /** Stores the result of a job's run if it belongs to a response. */
  keep(request: BuildRequest, run: FlowRun): Promise<void>
}

/** A stored response whose run is a job. */
export type BackgroundResponse = StoredResponse & { readonly background: BackgroundLink }

export interface BackgroundStart {
  readonly flow: FlowRecord
  readonly plan: FlowPlan
  readonly question: Question
  readonly facts: OpenAiResponseMetadata
}

export interface BackgroundResponsesOptions {
  readonly jobs: BuildJobs
  readonly runner: Pick<Runner, 'enqueue'>
  readonly stored: Pick<StoredResponses, 'finish' | 'result'>
  readonly runtime: Pick<Runtime, 'now' | 'sleep'>
  readonly emit: EmitFlowEvent
}

/** Tokens are never merged, so every token keeps its number however late it is read. */
const NEVER_JOINED = Number.MAX_SAFE_INTEGER

export function createBackgroundResponses({
  jobs,
  runner,
  stored,
  runtime,
  emit,
}: BackgroundResponsesOptions): BackgroundResponses {
  const seconds = (): number => Math.floor(runtime.now().getTime() / 1000)
  const read = async (response: BackgroundResponse): Promise<OpenAiResponseJson> => {
    const { background, result } = response
    const { facts, jobId } = background
    const job = await jobs.get(jobId)
    const status = statusOf(job, result)
    if (status === 'queued' || status === 'in_progress' || status === 'incomplete')
      return formatOpenAiResponse(facts, { status })
    let last: OpenAiResponseJson | undefined
    if (job !== null)
      for await (const { event } of numbered(response, new AbortController().signal))
        if (isWhole(event['response'])) last = event['response']
    return last ?? withoutLog(response, job)
  }

  /** The events of a response, derived from those of its job with the same numbers for every reader. */
  async function* numbered(
    { background, result: known }: BackgroundResponse,
    signal: AbortSignal,
  ): AsyncGenerator<NumberedEvent, void, undefined> {
    const { facts, jobId, streams } = background
    let result = known
    let ended = seconds()
    const events = answers(jobId, { streams, signal }, async () => {
      const job = await jobs.get(jobId)
      result = (await stored.result(facts.id)) ?? result
      ended = result?.ended ?? Math.floor((job?.finishedAt?.getTime() ?? 0) / 1000)
      return result ?? resultOf(job, ended)
    })
    let items = 0
    const options: ResponseEventsOptions = {
      newId: (prefix) => `${prefix}_${facts.id.slice('resp_'.length)}${(items++).toString(16)}`,
      seconds: () => ended,
      failureOf(error) {
        if (error instanceof OpenAiRefusal) return error.error
        throw error
      },
      finished: () => Promise.resolve(),
    }
    yield* numberedEvents(facts, events, options)
  }

  async function* answers(
    jobId: string,
    { streams, signal }: { readonly streams: boolean; readonly signal: AbortSignal },
    ending: () => Promise<BackgroundResult>,
  ): AsyncGenerator<AnswerEvent, void, undefined> {
    const tools = createAnswerTools()
    for await (const { event, data, seq } of jobs.events(jobId, { signal })) {
      if (event === 'token' && streams) yield { kind: 'text', text: data.chunk, messageId: data.id }
      else if (event === 'add_message')
        for (const tool of tools.read(data)) yield { kind: 'tool', tool }
      else if (event === 'suspended') yield { kind: 'asked' }
      if (event !== 'suspended') continue
      if ((await questionAfter({ jobs, runtime }, jobId, { seq, signal })) !== undefined) return
    }
    const { status, text, usage, message } = await ending()
    if (status === 'cancelled') throw new FlowError('cancelled', 'The run was cancelled')
    if (status === 'failed')
      throw new OpenAiRefusal(500, { code: 'flow_failed', message: message ?? 'The run failed' })
    for (const tool of tools.rest()) yield { kind: 'tool', tool }
    yield { kind: 'end', answer: { text, usage, tools: tools.all() } }
  }

  return {
    read,
    async start({ flow, plan, question, facts }) {
      const metadata: BuildMetadata = {
        ownerId: flow.userId,
        storedFlowId: flow.id,
        isPublic: false,
        logBuilds: true,
        form: 'run',
        door: 'responses',
        responseId: facts.id,
        earlier: question.earlier,
      }
      const { text, files = [], sessionId, variables, stream, origin } = question
      try {
        const { id } = await runner.enqueue({
          flow: plan,
          mode: 'run',
          input: { value: text, type: 'chat', ...(files.length === 0 ? {} : { files }) },
          outputType: 'chat',
          sessionId,
          variables: { ...variables },
          stream,
          blankTokens: true,
          flowId: flow.id,
          flowName: flow.name,
          userId: flow.userId,
          resumable: true,
          limits: { bufferedTokens: NEVER_JOINED },
          ...origin,
          metadata: { ...metadata },
        })
        const answer = { id: facts.id, userId: flow.userId, flowId: flow.id }
        emit('response.created', { at: runtime.now(), ...answer, profile: 'openai' })
        return { jobId: id, facts, streams: stream && question.chatOutputs === 1 }
      } catch (error) {
        if (!isFlowError(error) || error.code !== 'limit_exceeded') throw error
        const code = 'rate_limit_exceeded'
        throw new OpenAiRefusal(error.status, { code, message: error.detail }, error)
      }
    },
    async *events(response, { after, signal }) {
      for await (const { event, number } of numbered(response, signal))
        if (number > after) yield eventText(event, number)
    },
    async cancel({ background: { jobId } }) {
      await jobs.cancel(jobId)
    },
    async keep({ metadata }, run) {
      if (metadata?.['responseId'] === undefined) return
      const {
        responseId: id = '',
        ownerId: userId,
        storedFlowId: flowId,
      } = metadata as unknown as BuildMetadata
      let hasEnded = false
      for await (const { event } of run) hasEnded ||= event === 'end'
      // A run that waits for an answer or continues in another process has no result yet.
      if (!hasEnded) return
      const result = await toBackgroundResult(run, seconds())
      await stored.finish(id, result)
      const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {}
      const { durationMs = 0 } = (await run.result.catch(() => undefined)) ?? {}
      const answer = { id, userId, flowId, profile: 'openai', status: result.status } as const
      const at = runtime.now()
      emit('response.finished', { at, ...answer, durationMs, inputTokens, outputTokens })
    },
  }
}

async function toBackgroundResult({ result }: FlowRun, ended: number): Promise<BackgroundResult> {
  const nothing = { text: '', usage: null, ended }
  try {
    const run = await result
    const { status, error } = run
    if (status === 'succeeded')
      return { status: 'completed', message: null, ...answerFromRun(run), ended }
    if (status === 'cancelled' && error?.code !== 'limit_exceeded')
      return { status, message: null, ...nothing }
    const message = error === undefined ? 'The run failed' : runErrorText(error)
    return { status: 'failed', message, ...nothing }
  } catch (error) {
    const message = isFlowError(error) ? runErrorText(error) : 'Internal Server Error'
    return { status: 'failed', message, ...nothing }
  }
}

function statusOf(job: JobRecord | null, result: BackgroundResult | undefined) {
  if (job === null) return result?.status ?? 'failed'
  const { state, question } = job
  if (state === 'suspended') return question === undefined ? 'in_progress' : 'incomplete'
  if (state === 'running') return 'in_progress'
  return state === 'succeeded' ? 'completed' : state
}

/** A job without a result: it was cancelled before it ran, or its processes died. */
function resultOf(job: JobRecord | null, ended: number): BackgroundResult {
  const nothing = { text: '', usage: null, ended }
  if (job?.state === 'cancelled') return { status: 'cancelled', message: null, ...nothing }
  return { status: 'failed', message: job?.error?.detail ?? 'The run failed', ...nothing }
}

/** The log is trimmed earlier than the response. */
function withoutLog(
  { background: { facts }, result }: BackgroundResponse,
  job: JobRecord | null,
): OpenAiResponseJson {
  const { status, text, usage, message, ended } = result ?? resultOf(job, 0)
  if (status === 'cancelled') return formatOpenAiResponse(facts, { status, output: [] })
  if (status === 'completed') {
    const output = [messageItem(`msg_${facts.id.slice('resp_'.length)}0`, text)]
    return formatOpenAiResponse(facts, { status, output, usage, completed: ended })
  }
  const error = { message: message ?? '', type: 'server_error', param: null, code: null } as const
  return formatOpenAiResponse(facts, { status, output: [], error })
}

function isWhole(value: unknown): value is OpenAiResponseJson {
  return typeof value === 'object' && value !== null && 'id' in value
}
