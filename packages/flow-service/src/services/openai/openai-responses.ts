import { isObject } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { OpenAiResponseRequest } from './openai-requests.ts'
import { ask, askWhole, type AnswerEvent } from '../answers/answer.ts'
import type { Caller } from '../base/caller.ts'
import { readResponseInput } from '../answers/chat-input.ts'
import { storeInputFiles } from '../answers/input-files.ts'
import type { BackgroundResponse, BackgroundResponses } from './background-responses.ts'
import { openAiResponseEvents } from './openai-response-events.ts'
import {
  formatOpenAiResponse,
  inputItems,
  messageItem,
  toolItem,
  type OpenAiResponseMetadata,
  type OpenAiResponseJson,
  type OutputItem,
} from './openai-response-format.ts'
import { failureOf, randomHex, readInput, unsupported } from './openai-failures.ts'
import { OpenAiRefusal } from './openai-refusal.ts'
import type { AskedBy, OpenAiService, OpenAiServiceOptions } from './chat-completions.ts'
import { withInstructions } from '../answers/responses.ts'
import type { StoredResponse, StoredResponses } from './stored-responses.ts'

export type OpenAiResponseOutcome =
  | { readonly kind: 'response'; readonly response: OpenAiResponseJson }
  /** Serialised events. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<string> }

/** Selects a page of input items. */
export interface InputItemsPage {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly after?: string | null | undefined
}

/** Responses of the OpenAI-compatible API. */
export interface OpenAiResponsesService {
  /** @throws OpenAiRefusal 400, 404, 429, 500 */
  create(
    caller: Caller,
    request: OpenAiResponseRequest,
    by: AskedBy,
  ): Promise<OpenAiResponseOutcome>
  /** @throws OpenAiRefusal 404 */
  retrieve(caller: Caller, id: string): Promise<OpenAiResponseJson>
  /**
   * Serialised live events of a background response with numbers above `after`.
   * @throws OpenAiRefusal 400 for other responses; 404
   */
  events(
    caller: Caller,
    id: string,
    by: { readonly after: number; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<string>>
  /** @throws OpenAiRefusal 400 for responses that do not run in the background; 404 */
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
  /** Default of the request's `store`. */
  readonly store: boolean
  readonly background: BackgroundResponses
}

export function createOpenAiResponses(options: OpenAiResponsesOptions): OpenAiResponsesService {
  const { stored, runtime, background } = options
  const seconds = (): number => Math.floor(runtime.now().getTime() / 1000)
  const newId = (prefix: string): string => `${prefix}_${randomHex(runtime, 24)}`
  const find = async (caller: Caller, id: string): Promise<StoredResponse> => {
    const found = await stored.get(caller.id, id)
    if (found !== null) return found
    const message = `Response with id '${id}' not found.`
    throw new OpenAiRefusal(404, { code: 'response_not_found', message })
  }
  return {
    create: (caller, request, by) => create(options, caller, request, by),
    async retrieve(caller, id) {
      const found = await find(caller, id)
      return isBackground(found) ? await background.read(found) : found.response
    },
    async events(caller, id, by) {
      const found = await find(caller, id)
      if (isBackground(found)) return background.events(found, by)
      const message = 'Only responses with background: true are streamed again.'
      throw new OpenAiRefusal(400, { code: 'invalid_value', param: 'stream', message })
    },
    async cancel(caller, id) {
      const found = await find(caller, id)
      if (!isBackground(found)) {
        const message = 'Cannot cancel a synchronous response.'
        throw new OpenAiRefusal(400, { code: 'invalid_value', message })
      }
      await background.cancel(found)
      return await background.read(found)
    },
    async remove(caller, id) {
      const found = await find(caller, id)
      await stored.remove(caller.id, id)
      if (isBackground(found)) await background.cancel(found).catch(() => undefined)
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
    { openAi, places, chatFlows, runs, report, timeoutMs, announce }: OpenAiResponsesOptions,
    ...[caller, request, by]: Parameters<OpenAiResponsesService['create']>
  ): Promise<OpenAiResponseOutcome> {
    checkRequest(request)
    const input = await readInput(() => readResponseInput(request.input, { takesFiles: true }))
    const { flow } = await openAi.model(caller, request.model)
    const inBackground = request.background === true
    const store = request.store ?? options.store
    if (inBackground && !store)
      throw unsupported('background', 'A background response has to be stored: leave store: true.')
    if (!inBackground && chatFlows.asks(flow))
      throw unsupported('model', 'This flow asks a person. Use background: true.')
    const sessionId = await sessionOf(options, caller, request)
    const files = await readInput(() =>
      storeInputFiles(options, { caller, flowId: flow.id }, input.files),
    )
    const facts: OpenAiResponseMetadata = {
      id: `resp_${randomHex(runtime, 24)}`,
      created: seconds(),
      request,
      store,
      background: inBackground,
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
      timeoutMs,
      origin: by.origin,
    }
    const answer = { userId: caller.id, id: facts.id, flowId: flow.id, profile: 'openai' } as const
    if (inBackground) {
      // The input is stored separately; its files are files of the flow.
      const light = { ...facts, request: { ...request, input: null } }
      const plan = chatFlows.plan(flow)
      const link = await background.start({ flow, plan, question, facts: light })
      const response = formatOpenAiResponse(facts, { status: 'queued' })
      const items = inputItems(runtime, request.input)
      const kept = { response, input: items, sessionId, background: link }
      await stored.put(caller.id, flow.id, kept)
      if (!stream) return { kind: 'response', response }
      return {
        kind: 'stream',
        chunks: background.events(kept, { after: -1, signal: by.signal }),
      }
    }
    const finished = async (response: OpenAiResponseJson): Promise<void> => {
      if (!facts.store) return
      const items = inputItems(runtime, request.input)
      await stored.put(caller.id, flow.id, { response, input: items, sessionId })
    }
    if (stream) await runs.admit(flow, by.origin)
    const events = announce(answer)(
      places.hold(caller.id, () => ask(runs, flow, question, by.signal)),
    )
    if (stream) {
      const failure = (error: unknown) => failureOf(error, report).error
      const more = { newId, seconds, failureOf: failure, finished }
      return { kind: 'stream', chunks: openAiResponseEvents(facts, events, more) }
    }
    const response = await whole(facts, events)
    await finished(response)
    return { kind: 'response', response }
  }

  async function whole(
    facts: OpenAiResponseMetadata,
    events: AsyncIterable<AnswerEvent>,
  ): Promise<OpenAiResponseJson> {
    try {
      const { text, tools, usage } = await askWhole(events)
      const message = messageItem(newId('msg'), text)
      return formatOpenAiResponse(facts, {
        status: 'completed',
        output: [...tools.map((tool) => toolItem(newId('mcp'), tool)), message],
        usage,
        completed: seconds(),
      })
    } catch (error) {
      throw isFlowError(error) ? failureOf(error, () => undefined) : error
    }
  }
}

function isBackground(stored: StoredResponse): stored is BackgroundResponse {
  return stored.background !== undefined
}

/** The session of the response being continued, else a new one. */
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

const MAX_METADATA = 16

/** Rejects requests that a flow cannot fulfil and would answer incorrectly. */
function checkRequest(request: OpenAiResponseRequest): void {
  const { tools, text, conversation, prompt, metadata } = request
  if (Array.isArray(tools) && tools.length > 0)
    throw unsupported('tools', 'The tools of a flow are part of it.')
  const format: unknown = isObject(text) ? text['format'] : undefined
  if (isObject(format) && format['type'] !== 'text')
    throw unsupported('text.format', 'A flow answers with text.')
  if (conversation !== undefined && conversation !== null)
    throw unsupported('conversation', 'Use previous_response_id to continue a conversation.')
  if (prompt !== undefined && prompt !== null)
    throw unsupported('prompt', 'The prompts of a flow are part of it.')
  const pairs = Object.entries(metadata ?? {})
  const isSmall = pairs.every(
    ([key, value]) => key.length <= 64 && typeof value === 'string' && value.length <= 512,
  )
  if (pairs.length <= MAX_METADATA && isSmall) return
  throw new OpenAiRefusal(400, {
    code: 'invalid_value',
    param: 'metadata',
    message: 'metadata has at most 16 pairs of strings, with 64 characters a key and 512 a value.',
  })
}
