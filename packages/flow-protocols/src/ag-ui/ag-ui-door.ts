import type { PendingQuestion } from '@x/flow-engine'
import { graphOf, planAsksPeople } from '@x/flow-engine/internal'
import { append, json } from '@x/wire'
import { FileLinks } from '../files/file-links.ts'
import { digestOf } from '../http/digest.ts'
import { enterChat, type DoorCall } from '../http/door-call.ts'
import { invalid } from '../http/door-error.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { eventResponse } from '../http/event-response.ts'
import { readJson } from '../http/read-json.ts'
import { decisionFor, decisionOfAction, isSameDecision } from '../turns/decisions.ts'
import { questionClosed } from '../turns/turns.ts'
import {
  TurnPartReader,
  type SurfaceMessages,
  type TurnPartReaderOptions,
} from '../turns/turn-part-reader.ts'
import { usageOf, type ChatKey, type Turn } from '../turns/turn.ts'
import { EventWriter, interruptOf, type AgUiJson } from './event-writer.ts'
import { readRunInput, type RunInput, type RunWarning } from './run-input.ts'

/** How a run of the stream begins. */
interface Opening {
  readonly input: RunInput
  readonly warnings: readonly RunWarning[]
  /** What the client holds besides the turn. */
  readonly messages: readonly AgUiJson[]
  /** An answer: what was there until this event is known to the client. */
  readonly after?: number
  /** Show what stands as a snapshot first. */
  readonly joins: boolean
  readonly usedBefore?: ReturnType<typeof usageOf>
}

/** AG-UI over turns. */
export class AgUiDoor {
  readonly #parts: DoorParts

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  /** A run: a message, or the answer to an interrupt. */
  async run(given: DoorCall): Promise<Response> {
    const input = readRunInput(await readJson(given, this.#parts.maxBodyBytes))
    const call = await enterChat(given, input.threadId)
    const { turns } = this.#parts
    const key = keyOf(call, input)
    if (input.user === undefined && input.resume.length === 0 && input.action === undefined)
      throw invalid('messages must end with a message of the user, or resume must be there')
    const last = await turns.last(key)
    const question = last && (await turns.question(last.id))
    if (last !== undefined && question !== undefined)
      return await this.#resume(call, key, { input, turn: last, question })
    if (input.resume.length > 0) return await this.#tooLate(call, input, last)
    const { turn, isNew } = await this.#begin(call, key, input)
    const { messages, warnings } = input
    return this.#stream(call, turn, { input, warnings, messages, joins: !isNew })
  }

  /** The thread so far, then its running run. */
  async connect(given: DoorCall): Promise<Response> {
    const input = readRunInput(await readJson(given, this.#parts.maxBodyBytes))
    const call = await enterChat(given, input.threadId)
    const key = keyOf(call, input)
    const turns = (await this.#parts.turns.list(key)).toReversed()
    const last = turns.pop()
    if (last === undefined) return this.#nothing(call, input, [])
    const messages: AgUiJson[] = []
    const earlier: SurfaceMessages = new Map()
    for (const turn of turns)
      append(messages, await this.#told(call, input, { parts: this.#parts, call, turn, earlier }))
    messages.push(userMessage(last))
    return this.#stream(call, last, { input, warnings: [], messages, joins: true })
  }

  async stop(given: DoorCall, chatId: string): Promise<Response> {
    const call = await enterChat(given, chatId)
    const key = { userId: call.userId, flowId: call.flow.id, chatId }
    return json(call.request, { stopped: await this.#parts.turns.stop(key) })
  }

  capabilities({ request, flow }: DoorCall): Response {
    const vertices = graphOf(flow.plan)?.vertices ?? []
    const agents = new Set(vertices.filter(({ type }) => type === 'Agent').map(({ id }) => id))
    const items = vertices
      .filter(({ outgoing }) =>
        outgoing.some(({ target }) => agents.has(vertices[target]?.id ?? '')),
      )
      .filter(({ outgoing }) => outgoing.some((edge) => edge.field === 'tools'))
      .map(({ id, displayName }) => ({ name: displayName ?? id, description: '', parameters: {} }))
    const { name, description, version } = flow
    return json(request, {
      identity: { name, ...(description === '' ? {} : { description }), version },
      transport: { streaming: true },
      tools: { supported: items.length > 0, items, clientProvided: false },
      ...(planAsksPeople(flow.plan)
        ? { humanInTheLoop: { supported: true, approvals: true, interrupts: true } }
        : {}),
      multimodal: { input: { image: true, audio: true, video: true, file: true } },
      reasoning: { supported: this.#parts.reasoning, streaming: this.#parts.reasoning },
    })
  }

  /** An open question is answered, or shown again. */
  async #resume(
    call: DoorCall,
    key: ChatKey,
    {
      input,
      turn,
      question,
    }: { readonly input: RunInput; readonly turn: Turn; readonly question: PendingQuestion },
  ): Promise<Response> {
    const { turns } = this.#parts
    const { resume, messages, action } = input
    const entry = resume.find(({ interruptId }) => interruptId === question.requestId)
    const warnings = [
      ...input.warnings,
      ...resume.flatMap(({ interruptId }) =>
        interruptId === question.requestId ? [] : [unknownInterrupt(interruptId)],
      ),
    ]
    const after = await turns.position(turn.id)
    const opening = { input, warnings, messages, after, joins: false }
    const acted = action && decisionOfAction(this.#parts.surfaces, question, action)
    if (entry === undefined && acted === undefined) return this.#stream(call, turn, opening)
    if (entry?.status === 'cancelled' && !question.allowedDecisions.includes('reject')) {
      await turns.stop(key)
      return this.#stream(call, turn, opening)
    }
    const decision =
      entry?.status === 'cancelled'
        ? { action_id: 'reject' }
        : entry === undefined
          ? acted?.decision
          : toDecision(question, entry.payload)
    await turns.answer(turn, question.requestId, decision)
    return this.#stream(call, turn, { ...opening, usedBefore: usageOf(turn.job) })
  }

  /** Answers to a question that is not open: the same answer again shows what came of it. */
  async #tooLate(call: DoorCall, input: RunInput, turn: Turn | undefined): Promise<Response> {
    const { messages } = input
    for (const { interruptId, payload } of turn === undefined ? [] : input.resume) {
      const given = await this.#parts.turns.answered(turn?.id ?? '', interruptId)
      if (given === undefined || turn === undefined) continue
      const sent = typeof payload === 'boolean' ? approval(payload) : payload
      if (!isSameDecision(sent, given.decision)) throw questionClosed()
      const { warnings } = input
      return this.#stream(call, turn, {
        input,
        warnings,
        messages,
        after: given.after,
        joins: false,
      })
    }
    const unknown = input.resume.map(({ interruptId }) => unknownInterrupt(interruptId))
    return this.#nothing(call, input, unknown)
  }

  async #begin(call: DoorCall, key: ChatKey, input: RunInput) {
    const { turns, history } = this.#parts
    const { runId, user, action, state, instructions, earlier } = input
    const given = action === undefined ? (user?.text ?? '') : JSON.stringify(action)
    const files = user?.files ?? []
    return await turns.start(key, {
      flow: call.flow,
      note: {
        door: 'ag-ui',
        messageId: runId,
        digest: await digestOf([given, files]),
        more: { userMessageId: user?.id ?? runId },
      },
      run: async () => ({
        text: given,
        parts: user === undefined ? [] : [{ type: 'text', text: user.text }],
        files: await this.#parts.storeFiles(call, key, files),
        earlier: history === 'request' ? earlier : [],
        origin: call.origin ?? {},
        variables: {
          ...call.variables,
          ...(instructions === '' ? {} : { INSTRUCTIONS: instructions }),
          ...(state === undefined ? {} : { AGUI_STATE: state }),
          ...(action === undefined ? {} : { A2UI_ACTION: given }),
        },
      }),
    })
  }

  /** The messages of a turn that has ended. */
  async #told(
    call: DoorCall,
    input: RunInput,
    options: TurnPartReaderOptions,
  ): Promise<AgUiJson[]> {
    const { turn } = options
    const reader = new TurnPartReader(options)
    const writer = this.#writer(input, [userMessage(turn)], reader.files)
    for (const part of await reader.read(await this.#parts.turns.log(turn.id))) writer.skip(part)
    return (writer.snapshot()[0]?.['messages'] ?? []) as AgUiJson[]
  }

  #writer(
    { threadId, runId, wantsSteps }: RunInput,
    messages: readonly AgUiJson[],
    files: FileLinks,
  ): EventWriter {
    const { reasoning } = this.#parts
    return new EventWriter({ threadId, runId, messages, files, reasoning, wantsSteps })
  }

  /** A run that performs nothing. */
  #nothing(call: DoorCall, input: RunInput, more: readonly RunWarning[]): Response {
    const files = new FileLinks((path) => this.#parts.fileUrl(call, path))
    const writer = this.#writer(input, input.messages, files)
    const events = [
      ...writer.start(),
      ...[...input.warnings, ...more].map(warningEvent),
      writer.finished({ type: 'success' }, { result: { text: '' } }),
    ]
    const texts = async function* (): AsyncGenerator<string> {
      yield sse(events)
    }
    const { runtime } = this.#parts.host
    const options = { request: call.request, runtime, headers: {}, left: () => undefined }
    return eventResponse(texts, options)
  }

  #stream(call: DoorCall, turn: Turn, opening: Opening): Response {
    const { turns, host } = this.#parts
    turns.checkReaders(turn.id)
    const left = turns.readers.enter(turn.id)
    const { input, warnings, messages, after, joins, usedBefore } = opening
    const reader = new TurnPartReader({ parts: this.#parts, call, turn, reports: !joins })
    const writer = this.#writer(input, messages, reader.files)
    const finish = (): Promise<AgUiJson[]> => this.#finish(turn.id, writer, input, usedBefore)

    const texts = async function* (signal: AbortSignal): AsyncGenerator<string> {
      const until = after ?? (joins ? await turns.position(turn.id) : -1)
      yield sse([...writer.start(), ...warnings.map(warningEvent)])
      let isShown = !joins
      for await (const { events } of turns.read(turn.id, { signal })) {
        const known = events.filter(({ seq }) => seq <= until)
        for (const part of await reader.read(known)) writer.skip(part)
        const out: AgUiJson[] = []
        if (!isShown && (events.at(-1)?.seq ?? -1) >= until) {
          isShown = true
          append(out, writer.snapshot())
        }
        const news = await reader.read(events.slice(known.length))
        append(
          out,
          news.flatMap((part) => writer.write(part)),
        )
        if (out.length > 0) yield sse(out)
      }
      if (!isShown) yield sse(writer.snapshot())
      yield sse([...writer.close(), ...(await finish())])
    }
    const headers = { 'x-chat-turn': turn.id }
    return eventResponse(texts, { request: call.request, runtime: host.runtime, headers, left })
  }

  async #finish(
    turnId: string,
    writer: EventWriter,
    { knowsCancelled }: RunInput,
    before: ReturnType<typeof usageOf>,
  ): Promise<AgUiJson[]> {
    const { state } = writer
    const { error, cancelled, question } = state
    if (cancelled)
      return knowsCancelled
        ? [writer.finished({ type: 'cancelled' })]
        : [{ type: 'RUN_ERROR', message: 'The run was cancelled.', code: 'cancelled' }]
    if (error !== undefined) {
      const job = await this.#parts.host.jobs.get(turnId)
      return [{ type: 'RUN_ERROR', message: error, code: codeOf(job?.error) }]
    }
    const { usage } = await this.#parts.turns.facts(turnId)
    const used = usage && difference(usage, before)
    const more = {
      result: { text: state.firstText },
      ...(used === undefined ? {} : { usage: [used] }),
    }
    if (question === undefined) return [writer.finished({ type: 'success' }, more)]
    const asked = state.items.findLast(
      (item) => item.kind === 'question' && item.question.request_id === question.request_id,
    )
    const callId = asked?.kind === 'question' ? asked.callId : undefined
    const interrupts = [interruptOf(question, callId)]
    return [writer.finished({ type: 'interrupt', interrupts }, more)]
  }
}

function keyOf({ userId, flow }: DoorCall, { threadId }: RunInput): ChatKey {
  return { userId, flowId: flow.id, chatId: threadId }
}

function userMessage({ note }: Turn): AgUiJson {
  const { messageId, more, parts } = note
  const id = typeof more?.['userMessageId'] === 'string' ? more['userMessageId'] : messageId
  const content = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n')
  return { id, role: 'user', content }
}

function toDecision(question: PendingQuestion, payload: unknown): unknown {
  return typeof payload === 'boolean' ? approval(payload) : decisionFor(question, payload)
}

function approval(approved: boolean): { readonly action_id: string } {
  return { action_id: approved ? 'approve' : 'reject' }
}

function unknownInterrupt(id: string): RunWarning {
  return { code: 'unknown_interrupt', message: `There is no open interrupt ${id}.` }
}

function warningEvent(value: RunWarning): AgUiJson {
  return { type: 'CUSTOM', name: 'warning', value }
}

function codeOf(error: { readonly code: string; readonly detail: string } | undefined): string {
  if (error?.code !== 'limit_exceeded') return 'run_failed'
  return error.detail.includes('took longer') ? 'timeout' : 'limit_exceeded'
}

type Usage = NonNullable<ReturnType<typeof usageOf>>

function difference(all: Usage, before: Usage | undefined): Usage | undefined {
  if (before === undefined) return all
  const used = {
    inputTokens: all.inputTokens - before.inputTokens,
    outputTokens: all.outputTokens - before.outputTokens,
    totalTokens: all.totalTokens - before.totalTokens,
  }
  return used.totalTokens > 0 ? used : undefined
}

function sse(events: readonly AgUiJson[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}
