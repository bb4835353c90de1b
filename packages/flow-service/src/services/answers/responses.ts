import type { Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { runErrorText } from '../../run-error-text.ts'
import type { FlowRecord } from '../../store/flows.ts'
import { asksPerson } from '../runs/asking-flows.ts'
import type { AnnounceAnswer } from './announce-answer.ts'
import { ask, askWhole, type AnswerEvent } from './answer.ts'
import type { Caller } from '../base/caller.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import type { ChatFlows } from './chat-flows.ts'
import type { ChatInput } from './chat-input.ts'
import {
  formatResponse,
  responseChunks,
  type ResponseMetadata,
  type ResponseJson,
} from './response-format.ts'
import type { RunService } from '../runs/run-service.ts'

/** A request of `POST /api/v1/responses`. */
export interface ResponsesRequest {
  readonly model: string
  readonly input: ChatInput
  readonly stream: boolean
  /** True if `tools` was sent, even if empty. */
  readonly hasTools: boolean
  /** The session to continue; null for a new one. */
  readonly previousResponseId: string | null
  readonly include: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly origin?: RunOrigin
}

/** Why a request failed. */
export interface ResponsesFailure {
  readonly status: 400 | 404 | 500
  readonly type: 'invalid_request_error' | 'processing_error'
  readonly code?: string
  readonly message: string
}

export type ResponsesOutcome =
  | { readonly kind: 'failure'; readonly failure: ResponsesFailure }
  | { readonly kind: 'response'; readonly response: ResponseJson }
  /** Serialised events. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<string> }

/** Flows behind the older OpenAI-compatible API. */
export interface ResponsesService {
  /** If true, failures have their own status codes; otherwise 200. */
  readonly statusCodes: boolean
  create(caller: Caller, request: ResponsesRequest, signal: AbortSignal): Promise<ResponsesOutcome>
}

export interface ResponsesServiceOptions {
  readonly chatFlows: ChatFlows
  readonly runs: Pick<RunService, 'open' | 'runtime'>
  readonly runtime: Runtime
  readonly statusCodes: boolean
  readonly announce: AnnounceAnswer
}

export function createResponsesService(options: ResponsesServiceOptions): ResponsesService {
  const { chatFlows, runs, runtime, statusCodes, announce } = options
  return {
    statusCodes,
    async create(caller, request, signal) {
      const { flow, outputs, failure } = await accept(chatFlows, caller, request)
      if (failure !== undefined) return { kind: 'failure', failure }
      const { model, include, previousResponseId, input, stream } = request
      const continues = previousResponseId !== null && previousResponseId !== ''
      const id = continues ? previousResponseId : runtime.uuid()
      const created = Math.floor(runtime.now().getTime() / 1000)
      const facts: ResponseMetadata = { id, created, model, previousResponseId, include }
      const question = {
        text: input.text,
        sessionId: id,
        earlier: input.earlier,
        variables: withInstructions(request.variables, input.instructions),
        stream,
        chatOutputs: outputs,
        origin: request.origin,
      }
      const announced = announce({ userId: caller.id, id, flowId: flow.id, profile: 'compatible' })
      const events = announced(ask(runs, flow, question, signal))
      if (stream) return { kind: 'stream', chunks: responseChunks(facts, events, failureText) }
      return await finished(facts, events)
    },
  }
}

/** Passes a client's instructions as a variable of the run. */
export function withInstructions(
  variables: Readonly<Record<string, string>>,
  instructions: string,
): Readonly<Record<string, string>> {
  return instructions === '' ? variables : { ...variables, INSTRUCTIONS: instructions }
}

async function finished(
  facts: ResponseMetadata,
  events: AsyncIterable<AnswerEvent>,
): Promise<ResponsesOutcome> {
  try {
    return { kind: 'response', response: formatResponse(facts, await askWhole(events)) }
  } catch (error) {
    const message = failureText(error)
    if (message === undefined) throw error
    return { kind: 'failure', failure: { status: 500, type: 'processing_error', message } }
  }
}

/** The message of a failed run; undefined for server failures. */
function failureText(error: unknown): string | undefined {
  return isFlowError(error) ? runErrorText(error) : undefined
}

type Accepted =
  | { readonly flow: FlowRecord; readonly outputs: number; readonly failure?: undefined }
  | { readonly flow?: undefined; readonly outputs?: undefined; readonly failure: ResponsesFailure }

/** The checks, in order. */
async function accept(
  chatFlows: ChatFlows,
  caller: Caller,
  { model, hasTools }: ResponsesRequest,
): Promise<Accepted> {
  if (hasTools) {
    const message = 'Tools are not supported yet'
    return refused(400, 'tools_not_supported', message)
  }
  const flow = await chatFlows.find(caller, model)
  if (flow === null) return refused(404, 'flow_not_found', `Flow with id '${model}' not found`)
  if (chatFlows.asks(flow)) {
    const message = asksPerson(flow.id).detail
    return { failure: { status: 400, type: 'processing_error', message } }
  }
  const ends = chatFlows.ends(flow)
  if (ends?.inputs === 0) return incompatible('ChatInput')
  if (ends?.outputs === 0) return incompatible('ChatOutput')
  // A flow that cannot be read fails when run, with the reason.
  return { flow, outputs: ends?.outputs ?? 0 }
}

function refused(status: 400 | 404, code: string, message: string): Accepted {
  return { failure: { status, type: 'invalid_request_error', code, message } }
}

function incompatible(type: 'ChatInput' | 'ChatOutput'): Accepted {
  const message = `Flow must have a ${type} component to be compatible with OpenAI Responses API`
  return { failure: { status: 400, type: 'processing_error', message } }
}
