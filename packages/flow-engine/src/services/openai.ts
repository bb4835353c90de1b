import type { Runtime } from '@x/wire'
import { isFlowError, runErrorText } from '../errors.ts'
import type { FlowRecord, FlowTable } from '../store/flows.ts'
import type { ChatCompletionRequest } from '../wire/chat-completion.ts'
import { isObject } from '../wire/scalars.ts'
import { ask, askWhole, type AnswerEvent } from './answer.ts'
import type { Caller } from './caller.ts'
import {
  completionChunks,
  formatCompletion,
  type CompletionFacts,
} from './chat-completion-format.ts'
import type { ChatFlows } from './chat-flows.ts'
import { ChatInputError, readChatMessages, type ChatInput } from './chat-input.ts'
import { OpenAiRefusal } from './openai-refusal.ts'
import { withInstructions } from './responses.ts'
import type { RunService } from './run-flow.ts'

/** Models that are listed at most. */
const MOST_MODELS = 1000
const MOST_RUNS = 256

/** A flow that is offered as a model, and the name of its owner. */
export interface FlowModel {
  readonly flow: FlowRecord
  readonly ownedBy: string
}

export type CompletionOutcome =
  | { readonly kind: 'completion'; readonly completion: object }
  /** Texts of an event stream. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<string> }

/** Flows as models of the OpenAI API (RS-20 to RS-45). */
export interface OpenAiService {
  /** The caller's flows that can be models, newest first (RS-44). */
  models(caller: Caller): Promise<FlowModel[]>
  /** @throws OpenAiRefusal 404 */
  model(caller: Caller, id: string): Promise<FlowModel>
  /**
   * Answers a chat (RS-40 to RS-43).
   * @throws OpenAiRefusal 400, 404, 429, 500
   */
  complete(
    caller: Caller,
    request: ChatCompletionRequest,
    by: { readonly variables: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<CompletionOutcome>
}

export interface OpenAiServiceOptions {
  readonly chatFlows: ChatFlows
  readonly flows: Pick<FlowTable, 'list'>
  readonly runs: Pick<RunService, 'open'>
  readonly runtime: Runtime
  readonly report: (error: unknown) => void
  /** Runs of one user at once; 256 (RS-50). */
  readonly maxRuns?: number | undefined
}

export function createOpenAiService(options: OpenAiServiceOptions): OpenAiService {
  const { chatFlows, flows, runs, runtime, report } = options
  const places = createPlaces(options.maxRuns ?? MOST_RUNS)
  const find = async (caller: Caller, id: string): Promise<FlowModel> => {
    const flow = await chatFlows.find(caller, id)
    if (flow === null || !chatFlows.isModel(flow)) throw unknownModel(id)
    return { flow, ownedBy: caller.username }
  }
  return {
    async models(caller) {
      const query = { userId: caller.id, order: 'created', data: 'all' } as const
      const { items } = await flows.list({ ...query, isComponent: false })
      const offered = items.filter((flow) => chatFlows.isModel(flow))
      return offered
        .toReversed()
        .slice(0, MOST_MODELS)
        .map((flow) => ({ flow, ownedBy: caller.username }))
    },
    model: find,
    async complete(caller, request, { variables, signal }) {
      checkCompletion(request)
      const input = readInput(() => readChatMessages(request.messages))
      const { flow } = await find(caller, request.model)
      const facts: CompletionFacts = {
        id: `chatcmpl-${hex(runtime)}`,
        created: Math.floor(runtime.now().getTime() / 1000),
        model: request.model,
        includeUsage: request.stream_options?.include_usage === true,
      }
      const stream = request.stream === true
      const question = {
        text: input.text,
        sessionId: sessionOf(request) ?? runtime.uuid(),
        earlier: input.earlier,
        variables: withInstructions(variables, input.instructions),
        stream,
        chatOutputs: chatFlows.ends(flow)?.outputs ?? 0,
      }
      const events = places.hold(caller.id, () => ask(runs, flow, question, signal))
      if (stream) {
        const failure = (error: unknown) => failureOf(error, report).error
        return { kind: 'stream', chunks: completionChunks(facts, events, failure) }
      }
      return { kind: 'completion', completion: formatCompletion(facts, await whole(events)) }
    },
  }
}

async function whole(events: AsyncIterable<AnswerEvent>) {
  try {
    return await askWhole(events)
  } catch (error) {
    throw isFlowError(error) ? failureOf(error, () => undefined) : error
  }
}

/** A failed run (RS-21); what nobody foresaw gets a fixed text. */
function failureOf(error: unknown, report: (error: unknown) => void): OpenAiRefusal {
  if (error instanceof OpenAiRefusal) return error
  if (!isFlowError(error)) {
    report(error)
    return new OpenAiRefusal(500, { code: null, message: 'Internal Server Error' })
  }
  return new OpenAiRefusal(500, { code: 'flow_failed', message: runErrorText(error) }, error)
}

function unknownModel(id: string): OpenAiRefusal {
  return new OpenAiRefusal(404, {
    code: 'model_not_found',
    param: 'model',
    message: `The model '${id}' does not exist: it is no flow of yours with a chat input and a chat output that can be run.`,
  })
}

/** What a flow cannot do, and would answer wrongly (RS-41). */
function checkCompletion(request: ChatCompletionRequest): void {
  const { n, tools, functions, response_format: format, modalities, logprobs } = request
  if (typeof n === 'number' && n > 1) throw unsupported('n', 'A flow gives one answer.')
  for (const [param, value] of [
    ['tools', tools],
    ['functions', functions],
  ] as const) {
    if (Array.isArray(value) && value.length > 0)
      throw unsupported(param, 'The tools of a flow are part of it.')
  }
  if (isObject(format) && format['type'] !== 'text')
    throw unsupported('response_format', 'A flow answers with text.')
  const isText = (item: unknown): boolean => item === 'text'
  if (Array.isArray(modalities) && !modalities.every(isText))
    throw unsupported('modalities', 'A flow answers with text.')
  if (logprobs === true) throw unsupported('logprobs', 'A flow has no probabilities of tokens.')
}

function unsupported(param: string, message: string): OpenAiRefusal {
  return new OpenAiRefusal(400, { code: 'unsupported_parameter', param, message })
}

function readInput(read: () => ChatInput): ChatInput {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChatInputError) throw new OpenAiRefusal(400, error.problem, error)
    throw error
  }
}

/** The session that is to be continued (RS-40). */
function sessionOf({ metadata }: ChatCompletionRequest): string | null {
  const id = metadata?.['session_id']
  if (id === undefined || id === null || id === '') return null
  const isUsable = typeof id === 'string' && id.length <= 512 && !/\p{Surrogate}/u.test(id)
  if (isUsable) return id
  throw new OpenAiRefusal(400, {
    code: 'invalid_type',
    param: 'metadata.session_id',
    message: 'A session id is a text of at most 512 characters.',
  })
}

function hex(runtime: Runtime): string {
  const bytes = runtime.randomBytes(16)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Counts the runs of each user. */
function createPlaces(most: number) {
  const taken = new Map<string, number>()
  const check = (userId: string): void => {
    if ((taken.get(userId) ?? 0) < most) return
    const message = `At most ${most} runs of a user go on at once. Wait for one to end.`
    throw new OpenAiRefusal(429, { code: 'rate_limit_exceeded', message })
  }
  /** A stream begins when it is first read: its place is taken then, and may be gone by then. */
  async function* counted(
    userId: string,
    start: () => AsyncIterable<AnswerEvent>,
  ): AsyncGenerator<AnswerEvent, void, undefined> {
    check(userId)
    taken.set(userId, (taken.get(userId) ?? 0) + 1)
    try {
      yield* start()
    } finally {
      const left = (taken.get(userId) ?? 1) - 1
      if (left === 0) taken.delete(userId)
      else taken.set(userId, left)
    }
  }
  return {
    /**
     * The events, which free their place when they end or their reader leaves.
     * @throws OpenAiRefusal 429
     */
    hold(userId: string, start: () => AsyncIterable<AnswerEvent>): AsyncIterable<AnswerEvent> {
      check(userId)
      return counted(userId, start)
    },
  }
}
