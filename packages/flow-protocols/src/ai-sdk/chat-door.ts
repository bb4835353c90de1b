import type { RunEvent } from '@x/flow-engine'
import { append, json } from '@x/wire'
import { DoorError, invalid } from '../http/door-error.ts'
import { digestOf } from '../http/digest.ts'
import { eventResponse } from '../http/event-response.ts'
import { readJson } from '../http/read-json.ts'
import { TurnState } from '../parts/turn-state.ts'
import { decisionFor, decisionOfAction, isSameDecision } from '../turns/decisions.ts'
import { questionClosed } from '../turns/turns.ts'
import { durationOf, usageOf, type ChatKey, type Turn } from '../turns/turn.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { enterChat, type DoorCall } from '../http/door-call.ts'
import { TurnPartReader, type SurfaceMessages } from '../turns/turn-part-reader.ts'
import { FileLinks } from '../files/file-links.ts'
import { ChunkWriter, type Chunk, type ClientVersion } from './chunks.ts'
import { readChatRequest, type ChatRequest, type SentAnswer } from './chat-request.ts'
import type { SentFile } from '../http/sent-file.ts'
import type { FlowMessagePart, FlowMetadata, StoredUIMessage } from './flow-ui-message.ts'
import { storedMessages } from './stored-messages.ts'
import { uiParts } from './ui-parts.ts'

/** The UI message stream of the AI SDK over turns. */
export class ChatDoor {
  readonly #options: DoorParts

  constructor(options: DoorParts) {
    this.#options = options
  }

  /** A turn, or the answer to a question. */
  async post(given: DoorCall): Promise<Response> {
    const version = versionOf(given.request)
    const chat = readChatRequest(await readJson(given, this.#options.maxBodyBytes))
    const call = await enterChat(given, chat.chatId)
    const key = keyOf(call, chat.chatId)
    const answered = await this.#answer(key, chat)
    if (answered !== undefined) return this.#stream(call, answered.turn, version, answered)
    const { turn, isNew } = await this.#begin(call, key, chat)
    return this.#stream(call, turn, version, { isNew })
  }

  /** The running turn from its beginning; 204 when none runs. */
  async resume(given: DoorCall, chatId: string): Promise<Response> {
    const call = await enterChat(given, chatId)
    const version = versionOf(call.request)
    const turn = await this.#options.turns.last(keyOf(call, chatId))
    if (turn === undefined || turn.job.finishedAt !== null || isWaiting(turn))
      return new Response(null, { status: 204 })
    return this.#stream(call, turn, version)
  }

  async history(given: DoorCall, chatId: string, before: string | null): Promise<Response> {
    const call = await enterChat(given, chatId)
    const key = keyOf(call, chatId)
    const turns = (await this.#options.turns.list(key)).toReversed()
    const last = turns.at(-1)
    const running = last !== undefined && last.job.finishedAt === null && !isWaiting(last)
    const files = this.#files(call)
    const told: { readonly at: number; readonly messages: readonly StoredUIMessage[] }[] = []
    const known = new Set<string>()
    const earlier: SurfaceMessages = new Map()
    for (const turn of turns) {
      const events = await this.#options.turns.log(turn.id)
      for (const { event, data } of events)
        if (event === 'add_message' || event === 'error') known.add(data.id ?? '')
      const user = await userMessage(turn, files)
      const reader = new TurnPartReader({ parts: this.#options, call, turn, earlier })
      const shown = turn === last && running ? [] : [await this.#message(turn, events, reader)]
      const messages = [user, ...shown]
      told.push({ at: turn.job.createdAt.getTime(), messages })
    }
    const service = this.#options.host.messages(key)
    const rows = (await service?.list({ flowId: key.flowId, sessionId: chatId })) ?? []
    for (const row of rows) {
      if (known.has(row.id)) continue
      for (const path of row.files) await files.add(path)
      told.push({ at: row.timestamp.getTime(), messages: storedMessages(row, files) })
    }
    const all = told.toSorted((a, b) => a.at - b.at).flatMap(({ messages }) => messages)
    const end = before === null ? -1 : all.findIndex(({ id }) => id === before)
    const messages = (end < 0 ? all : all.slice(0, end)).slice(-2 * MAX_TURNS)
    return json(call.request, { id: chatId, messages, running })
  }

  async stop(given: DoorCall, chatId: string): Promise<Response> {
    const call = await enterChat(given, chatId)
    const stopped = await this.#options.turns.stop(keyOf(call, chatId))
    return json(call.request, { stopped })
  }

  async remove(given: DoorCall, chatId: string): Promise<Response> {
    const call = await enterChat(given, chatId)
    await this.#options.turns.remove(keyOf(call, chatId))
    return new Response(null, { status: 204 })
  }

  /** The turn that the request answers; undefined if it is a new one. */
  async #answer(
    key: ChatKey,
    { answers, continues, message }: ChatRequest,
  ): Promise<{ readonly turn: Turn; readonly after?: number } | undefined> {
    const action = continues ? undefined : message?.action
    const { turns, surfaces } = this.#options
    const turn = continues || action !== undefined ? await turns.last(key) : undefined
    if (action !== undefined && turn !== undefined) {
      const question = await turns.question(turn.id)
      const given = question && decisionOfAction(surfaces, question, action)
      if (question !== undefined && given !== undefined) {
        await turns.answer(turn, question.requestId, given.decision)
        // The page begins another message for its action, which shows the turn whole.
        return { turn }
      }
    }
    if (!continues) return undefined
    if (answers.length === 0 || turn === undefined)
      throw invalid('messages must end with a user message, or with an answer to a question')
    const question = await turns.question(turn.id)
    const fits = answers.find(({ requestId }) => requestId === question?.requestId)
    if (question === undefined || fits === undefined) {
      if (await this.#wasAnswered(turn, answers)) return { turn }
      throw questionClosed()
    }
    const after = await turns.position(turn.id)
    const decision = decisionFor(question, fits.decision)
    try {
      await turns.answer(turn, question.requestId, decision)
    } catch (error) {
      if (error instanceof DoorError && (await this.#wasAnswered(turn, [{ ...fits, decision }])))
        return { turn }
      throw error
    }
    return { turn, after }
  }

  /** True if one of the answers is the one that was given. */
  async #wasAnswered({ id }: Turn, answers: readonly SentAnswer[]): Promise<boolean> {
    for (const { requestId, decision } of answers) {
      const given = await this.#options.turns.answered(id, requestId)
      if (given !== undefined && isSameDecision(decision, given.decision)) return true
    }
    return false
  }

  async #begin(call: DoorCall, key: ChatKey, chat: ChatRequest) {
    const { turns, history } = this.#options
    const { message, earlier, instructions } = chat
    if (message === undefined) throw invalid('messages must have a message of the user')
    const { id: messageId, text, files, action } = message
    const note = {
      door: 'ai-sdk',
      messageId,
      digest: await digestOf([text, files, action ?? null]),
    } as const
    const given = action === undefined ? text : JSON.stringify(action)
    return await turns.start(key, {
      flow: call.flow,
      note,
      replaces: chat.replaces,
      run: async () => {
        const paths = await this.#options.storeFiles(call, key, files)
        return {
          text: given,
          origin: call.origin ?? {},
          parts: [...fileParts(files, paths), ...message.parts],
          files: paths,
          earlier: history === 'request' ? earlier : [],
          variables: {
            ...call.variables,
            ...(instructions === '' ? {} : { INSTRUCTIONS: instructions }),
            ...(action === undefined ? {} : { A2UI_ACTION: given }),
          },
        }
      },
    })
  }

  async #message(
    turn: Turn,
    events: readonly RunEvent[],
    reader: TurnPartReader,
  ): Promise<StoredUIMessage> {
    const { files } = reader
    const state = new TurnState()
    for (const part of await reader.read(events)) state.add(part)
    const isWhole = state.error === undefined && !state.cancelled
    const usage = usageOf(turn.job)
    const end = { ...(usage === undefined ? {} : { usage }), durationMs: durationOf(turn.job) }
    const { reasoning } = this.#options
    return {
      id: turn.id,
      role: 'assistant',
      metadata: { ...metadataOf(turn), ...(isWhole ? end : {}) },
      parts: uiParts(state, { files, reasoning }),
    }
  }

  #files(call: DoorCall): FileLinks {
    return new FileLinks((path) => this.#options.fileUrl(call, path))
  }

  /** `after`, of answers only: what was there before is known to the client. */
  #stream(
    call: DoorCall,
    turn: Turn,
    version: ClientVersion,
    {
      after,
      isNew = false,
    }: { readonly after?: number | undefined; readonly isNew?: boolean } = {},
  ): Response {
    const { turns, host, reasoning } = this.#options
    turns.checkReaders(turn.id)
    const left = turns.readers.enter(turn.id)
    const reader = new TurnPartReader({ parts: this.#options, call, turn, reports: isNew })
    const { files } = reader
    const writer = new ChunkWriter({ version, metadata: metadataOf(turn), files, reasoning })

    const texts = async function* (signal: AbortSignal): AsyncGenerator<string> {
      const until = after ?? (isNew ? -1 : await turns.position(turn.id))
      let begun = after !== undefined
      if (begun) yield sse(writer.start())
      for await (const { events } of turns.read(turn.id, { signal })) {
        const known = events.filter(({ seq }) => seq <= until)
        for (const part of await reader.read(known)) writer.skip(part)
        const isOver = (events.at(-1)?.seq ?? -1) >= until
        const chunks: Chunk[] = []
        if (!begun && isOver) {
          begun = true
          append(chunks, [...writer.start(), ...writer.standing()])
        }
        const news = await reader.read(events.slice(known.length))
        append(
          chunks,
          news.flatMap((part) => writer.write(part)),
        )
        if (chunks.length > 0) yield sse(chunks)
      }
      if (!begun) yield sse([...writer.start(), ...writer.standing()])
      yield `${sse(writer.finish(await turns.facts(turn.id)))}data: [DONE]\n\n`
    }
    const headers = { 'x-vercel-ai-ui-message-stream': 'v1', 'x-chat-turn': turn.id }
    return eventResponse(texts, { request: call.request, runtime: host.runtime, headers, left })
  }
}

const MAX_TURNS = 200

function keyOf({ userId, flow }: DoorCall, chatId: string): ChatKey {
  return { userId, flowId: flow.id, chatId }
}

function metadataOf({ id: turnId, job }: Turn): FlowMetadata {
  const { sessionId, flowId, createdAt } = job
  return { turnId, chatId: sessionId ?? '', flowId, createdAt: createdAt.toISOString() }
}

async function userMessage({ note }: Turn, files: FileLinks): Promise<StoredUIMessage> {
  const parts: FlowMessagePart[] = []
  for (const { path, ...part } of note.parts) {
    if (typeof path === 'string') await files.add(path)
    const url = typeof path === 'string' ? { url: files.link(path).url } : {}
    parts.push({ type: String(part['type']), ...part, ...url })
  }
  return { id: note.messageId, role: 'user', parts }
}

function isWaiting({ job }: Turn): boolean {
  return job.state === 'suspended' && job.question !== null
}

function versionOf({ headers }: Request): ClientVersion {
  const given = headers.get('x-ai-sdk')
  if (given === null || given === '7') return 7
  if (given === '6') return 6
  if (given === '5') return 5
  throw invalid('The header x-ai-sdk must be 5, 6 or 7.')
}

function fileParts(files: readonly SentFile[], paths: readonly string[]) {
  return files.map(({ mediaType, filename }, n) => ({
    type: 'file',
    mediaType,
    ...(filename === undefined ? {} : { filename }),
    path: paths[n] ?? '',
  }))
}

function sse(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
}
