import { isFlowError } from '../errors.ts'
import type { OpenAiResponseRequest } from '../wire/openai-response.ts'
import { isObject } from '../wire/is-object.ts'
import { ask, askWhole, type AnswerEvent } from './answer.ts'
import type { Caller } from './caller.ts'
import { readResponseInput } from './chat-input.ts'
import { storeInputFiles } from './input-files.ts'
import { openAiResponseEvents } from './openai-response-events.ts'
import {
  formatOpenAiResponse,
  inputItems,
  messageItem,
  toolItem,
  type OpenAiResponseFacts,
  type OpenAiResponseJson,
  type OutputItem,
} from './openai-response-format.ts'
import { failureOf, randomHex, readInput, unsupported } from './openai-failures.ts'
import { OpenAiRefusal } from './openai-refusal.ts'
import type { OpenAiService, OpenAiServiceOptions } from './openai.ts'
import { withInstructions } from './responses.ts'
import type { StoredResponse, StoredResponses } from './stored-responses.ts'

export type OpenAiResponseOutcome =
  | { readonly kind: 'response'; readonly response: OpenAiResponseJson }
  /** Texts of an event stream. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<string> }

/** Which input items are listed. */
export interface InputItemsPage {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly after?: string | null | undefined
}

/** Responses of the OpenAI API (RS-22 to RS-35). */
export interface OpenAiResponsesService {
  /** @throws OpenAiRefusal 400, 404, 429, 500 */
  create(
    caller: Caller,
    request: OpenAiResponseRequest,
    by: { readonly variables: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<OpenAiResponseOutcome>
  /** @throws OpenAiRefusal 404 */
  retrieve(caller: Caller, id: string): Promise<OpenAiResponseJson>
  /** @throws OpenAiRefusal 400, since only background responses go on; 404 */
  cancel(caller: Caller, id: string): Promise<OpenAiResponseJson>
  /** @throws OpenAiRefusal 404 */
  remove(caller: Caller, id: string): Promise<void>
  /** @throws OpenAiRefusal 404 */
  inputItems(
    caller: Caller,
    id: string,
    page: InputItemsPage,
  ): Promise<{ readonly items: readonly OutputItem[]; readonly hasMore: boolean }>
}

export interface OpenAiResponsesOptions extends OpenAiServiceOptions {
  readonly openAi: Pick<OpenAiService, 'model'>
  readonly stored: StoredResponses
  /** Whether responses are kept unless the request says otherwise. */
  readonly store: boolean
}

export function createOpenAiResponses(options: OpenAiResponsesOptions): OpenAiResponsesService {
  const { stored, runtime } = options
  const find = async (caller: Caller, id: string): Promise<StoredResponse> => {
    const found = await stored.get(caller.id, id)
    if (found !== null) return found
    const message = `Response with id '${id}' not found.`
    throw new OpenAiRefusal(404, { code: 'response_not_found', message })
  }
  return {
    create: (caller, request, by) => create(options, caller, request, by),
    retrieve: async (caller, id) => (await find(caller, id)).response,
    async cancel(caller, id) {
      await find(caller, id)
      const message = 'Cannot cancel a synchronous response.'
      throw new OpenAiRefusal(400, { code: 'invalid_value', message })
    },
    async remove(caller, id) {
      if (!(await stored.remove(caller.id, id))) await find(caller, id)
    },
    async inputItems(caller, id, { limit, order, after }) {
      const { input } = await find(caller, id)
      const ordered = order === 'asc' ? input : input.toReversed()
      const from = ordered.findIndex((item) => item.id === after) + 1
      const items = ordered.slice(from, from + limit)
      return { items, hasMore: from + limit < ordered.length }
    },
  }

  async function create(
    { openAi, places, chatFlows, runs, report }: OpenAiResponsesOptions,
    ...[caller, request, by]: Parameters<OpenAiResponsesService['create']>
  ): Promise<OpenAiResponseOutcome> {
    checkRequest(request)
    const input = await readInput(() => readResponseInput(request.input, { takesFiles: true }))
    const { flow } = await openAi.model(caller, request.model)
    const sessionId = await sessionOf(options, caller, request)
    const files = await readInput(() =>
      storeInputFiles(options, { caller, flowId: flow.id }, input.files),
    )
    const facts: OpenAiResponseFacts = {
      id: `resp_${randomHex(runtime, 24)}`,
      created: Math.floor(runtime.now().getTime() / 1000),
      request,
      store: request.store ?? options.store,
    }
    const stream = request.stream === true
    const instructions = [request.instructions ?? '', input.instructions].filter(Boolean)
    const question = {
      text: input.text,
      sessionId,
      earlier: input.earlier,
      files,
      variables: withInstructions(by.variables, instructions.join('\n\n')),
      stream,
      chatOutputs: chatFlows.streams(flow) ? 1 : 0,
    }
    const finished = async (response: OpenAiResponseJson): Promise<void> => {
      if (!facts.store) return
      const items = inputItems(runtime, request.input)
      await stored.put(caller.id, flow.id, { response, input: items, sessionId })
    }
    const events = places.hold(caller.id, () => ask(runs, flow, question, by.signal))
    if (stream) {
      const failure = (error: unknown) => failureOf(error, report).error
      const more = { runtime, failureOf: failure, finished }
      return { kind: 'stream', chunks: openAiResponseEvents(facts, events, more) }
    }
    const response = await whole(facts, events)
    await finished(response)
    return { kind: 'response', response }
  }

  async function whole(
    facts: OpenAiResponseFacts,
    events: AsyncIterable<AnswerEvent>,
  ): Promise<OpenAiResponseJson> {
    try {
      const { text, tools, usage } = await askWhole(events)
      const message = messageItem(`msg_${randomHex(runtime, 24)}`, text)
      return formatOpenAiResponse(facts, {
        status: 'completed',
        output: [...tools.map((tool) => toolItem(runtime, tool)), message],
        usage,
        completed: Math.floor(runtime.now().getTime() / 1000),
      })
    } catch (error) {
      throw isFlowError(error) ? failureOf(error, () => undefined) : error
    }
  }
}

/** The session of the response that is continued, else a new one (RS-24). */
async function sessionOf(
  { stored, runtime }: OpenAiResponsesOptions,
  caller: Caller,
  { previous_response_id: previous }: OpenAiResponseRequest,
): Promise<string> {
  if (previous === undefined || previous === null) return runtime.uuid()
  const found = await stored.get(caller.id, previous)
  if (found !== null) return found.sessionId
  throw new OpenAiRefusal(400, {
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: `Previous response with id '${previous}' not found.`,
  })
}

const MOST_METADATA = 16

/** What a flow cannot do, and would answer wrongly (RS-26). */
function checkRequest(request: OpenAiResponseRequest): void {
  const { tools, text, conversation, prompt, background, metadata } = request
  if (Array.isArray(tools) && tools.length > 0)
    throw unsupported('tools', 'The tools of a flow are part of it.')
  const format: unknown = isObject(text) ? text['format'] : undefined
  if (isObject(format) && format['type'] !== 'text')
    throw unsupported('text.format', 'A flow answers with text.')
  if (conversation !== undefined && conversation !== null)
    throw unsupported('conversation', 'Use previous_response_id to continue a conversation.')
  if (prompt !== undefined && prompt !== null)
    throw unsupported('prompt', 'The prompts of a flow are part of it.')
  if (background === true)
    throw unsupported('background', 'Background responses are not offered; use stream.')
  const pairs = Object.entries(metadata ?? {})
  const isSmall = pairs.every(
    ([key, value]) => key.length <= 64 && typeof value === 'string' && value.length <= 512,
  )
  if (pairs.length <= MOST_METADATA && isSmall) return
  throw new OpenAiRefusal(400, {
    code: 'invalid_value',
    param: 'metadata',
    message: 'metadata has at most 16 pairs of strings, with 64 characters a key and 512 a value.',
  })
}
