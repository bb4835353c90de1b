import { isObject, type Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { FlowRecord, FlowTable } from '../../store/flows.ts'
import type { ChatCompletionRequest } from './openai-requests.ts'
import type { AnnounceAnswer } from '../answers/announce-answer.ts'
import { ask, askWhole, type AnswerEvent } from '../answers/answer.ts'
import type { Caller } from '../base/caller.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import {
  completionChunks,
  formatCompletion,
  type CompletionFacts,
} from './chat-completion-format.ts'
import type { ChatFlows } from '../answers/chat-flows.ts'
import { readChatMessages } from '../answers/chat-input.ts'
import { storeInputFiles, type InputFilesOptions } from '../answers/input-files.ts'
import { failureOf, randomHex, readInput, unknownModel, unsupported } from './openai-failures.ts'
import { OpenAiRefusal } from './openai-refusal.ts'
import { asksPerson } from '../runs/asking-flows.ts'
import { withInstructions } from '../answers/responses.ts'
import type { RunService } from '../runs/run-service.ts'
import type { RunSlots } from '../runs/run-slots.ts'

/** Maximum number of listed models. */
const MAX_MODELS = 1000

/** A flow offered as a model, and the name of its owner. */
export interface FlowModel {
  readonly flow: FlowRecord
  readonly ownedBy: string
}

export type CompletionOutcome =
  | { readonly kind: 'completion'; readonly completion: object }
  /** Serialised events. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<string> }

/** The parts of a request besides its body. */
export interface AskedBy {
  readonly variables: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly origin?: RunOrigin
}

/** Flows as models of the OpenAI-compatible API. */
export interface OpenAiService {
  /** The caller's flows that can be used as models, newest first. */
  models(caller: Caller): Promise<FlowModel[]>
  /** @throws OpenAiRefusal 404 */
  model(caller: Caller, id: string): Promise<FlowModel>
  /**
   * Answers a chat completion.
   * @throws OpenAiRefusal 400, 404, 429, 500
   */
  complete(caller: Caller, request: ChatCompletionRequest, by: AskedBy): Promise<CompletionOutcome>
}

export interface OpenAiServiceOptions extends InputFilesOptions {
  readonly chatFlows: ChatFlows
  readonly flows: Pick<FlowTable, 'list'>
  readonly runs: Pick<RunService, 'admit' | 'open' | 'runtime'>
  readonly runtime: Runtime
  readonly report: (error: unknown) => void
  /** Maximum duration of a synchronous run, in milliseconds. */
  readonly timeoutMs: number
  readonly announce: AnnounceAnswer
  /** Limits the concurrent runs of each user over all operations of the API. */
  readonly places: RunSlots
}

export function createOpenAiService(options: OpenAiServiceOptions): OpenAiService {
  const { chatFlows, flows, runs, runtime, report, places, timeoutMs, announce } = options
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
        .slice(0, MAX_MODELS)
        .map((flow) => ({ flow, ownedBy: caller.username }))
    },
    model: find,
    async complete(caller, request, { variables, signal, origin }) {
      checkCompletion(request)
      const input = await readInput(() => readChatMessages(request.messages))
      const { flow } = await find(caller, request.model)
      if (chatFlows.asks(flow)) throw unsupported('model', asksPerson(flow.id).detail)
      const files = await readInput(() =>
        storeInputFiles(options, { caller, flowId: flow.id }, input.files),
      )
      const facts: CompletionFacts = {
        id: `chatcmpl-${randomHex(runtime, 16)}`,
        created: Math.floor(runtime.now().getTime() / 1000),
        model: request.model,
        includeUsage: request.stream_options?.include_usage === true,
      }
      const stream = request.stream === true
      const question = {
        text: input.text,
        sessionId: sessionOf(request) ?? runtime.uuid(),
        earlier: input.earlier,
        files,
        variables: withInstructions(variables, input.instructions),
        stream,
        wantsTools: false,
        chatOutputs: chatFlows.ends(flow)?.outputs ?? 0,
        timeoutMs,
        origin,
      }
      if (stream) await runs.admit(flow, origin)
      const announced = announce({
        userId: caller.id,
        id: facts.id,
        flowId: flow.id,
        profile: 'chat',
      })
      const events = announced(
        places.hold(caller.id, () => ask(runs, flow, { ...question, door: 'chat' }, signal)),
      )
      if (stream) {
        const failure = (error: unknown) => failureOf(error, report).error
        return { kind: 'stream', chunks: completionChunks(facts, events, failure) }
      }
      return { kind: 'completion', completion: formatCompletion(facts, await wholeAnswer(events)) }
    },
  }
}

async function wholeAnswer(events: AsyncIterable<AnswerEvent>) {
  try {
    return await askWhole(events)
  } catch (error) {
    throw isFlowError(error) ? failureOf(error, () => undefined) : error
  }
}

/** Rejects requests that a flow cannot fulfil and would answer incorrectly. */
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

/** The session to continue. */
function sessionOf({ metadata }: ChatCompletionRequest): string | null {
  const id = metadata?.['session_id']
  if (id === undefined || id === null || id === '') return null
  const isUsable = typeof id === 'string' && id.length <= 512 && !/\p{Surrogate}/u.test(id)
  if (isUsable) return id
  throw new OpenAiRefusal(400, {
    code: 'invalid_type',
    param: 'metadata.session_id',
    message: 'A session id is a string of at most 512 characters.',
  })
}
