import { decodeEvent, questionAfter } from '@x/flow-engine/internal'
import { FlowError, isFlowError, type PendingQuestion, type RunEvent } from '@x/flow-engine'
import type { StoredEvent } from '@x/flow-engine/store'
import { append, createKeyedQueue, withinTime } from '@x/wire'
import { DoorError } from '../http/door-error.ts'
import { durationOf, turnOf, usageOf, type ChatKey, type Turn, type TurnNote } from './turn.ts'
import type { DoorFlow, TurnHost, TurnRun } from './turn-host.ts'
import { TurnReaders } from './turn-readers.ts'

/** Newest turns that a chat shows. */
const MAX_TURNS = 200
const MAX_READERS = 100
/** Events that are read of a log at once. */
const LOG_PAGE = 500
/** Longest wait for the end of a cancelled turn, in milliseconds. */
const CANCEL_MS = 5000

/** A new turn. */
export interface TurnRequest {
  readonly flow: DoorFlow
  readonly note: Omit<TurnNote, 'parts'>
  /** Called only if the turn runs, as it stores files. */
  readonly run: () => Promise<TurnRun & Pick<TurnNote, 'parts'>>
  /** A running turn is never cancelled for this one. */
  readonly keepsRunning?: boolean
  /** Message whose turn, and all later ones, the new turn replaces. */
  readonly replaces?: string | undefined
}

/** A chat, or all of a user with a flow. */
export interface ChatScope extends Omit<ChatKey, 'chatId'> {
  readonly chatId?: string | undefined
}

/** Events of a turn that arrived together. `rests`: the question that the turn waits with now. */
export interface TurnEvents {
  readonly events: readonly RunEvent[]
  readonly rests?: PendingQuestion
}

/** What is known of a turn at its end, or when it rests. */
export interface TurnFacts {
  readonly durationMs: number
  readonly usage: ReturnType<typeof usageOf>
}

/** The turns of chats, over the jobs of a host. */
export class Turns {
  readonly #host: TurnHost
  readonly readers: TurnReaders
  readonly #chats = createKeyedQueue()

  constructor(host: TurnHost, { unreadMs }: { readonly unreadMs: number | null }) {
    this.#host = host
    const { store, runtime } = host
    const unread = async (turnId: string): Promise<void> => {
      const job = await host.jobs.get(turnId)
      if (job?.state === 'running' || job?.state === 'queued') await host.jobs.cancel(turnId)
    }
    this.readers = new TurnReaders({ store, runtime, unreadMs, unread })
  }

  /** Newest first. */
  async list(key: ChatScope, limit = MAX_TURNS): Promise<Turn[]> {
    const { queue } = this.#host.store
    const { userId, flowId, chatId: sessionId } = key
    const turns: Turn[] = []
    for (let offset = 0; turns.length < limit;) {
      const page = await queue.list?.({
        userId,
        flowId,
        sessionId,
        offset,
        limit: Math.min(limit, 50),
      })
      const items = page?.items ?? []
      for (const { id } of items) {
        const turn = await this.find(key, id)
        if (turn !== undefined && turns.length < limit) turns.push(turn)
      }
      offset += items.length
      if (items.length === 0) break
    }
    return turns
  }

  async last(key: ChatKey): Promise<Turn | undefined> {
    return (await this.list(key, 1))[0]
  }

  /** A turn of this user and flow; of this chat if `chatId` is given. */
  async find({ userId, flowId, chatId }: ChatScope, turnId: string): Promise<Turn | undefined> {
    const job = await this.#host.store.queue.get(turnId)
    const isOwn = job?.userId === userId && job.flowId === flowId
    if (!isOwn || (chatId !== undefined && job.sessionId !== chatId)) return undefined
    return turnOf(job)
  }

  /**
   * Starts a turn, unless the request repeats the last one, whose turn is then returned.
   * @throws DoorError `turn_running` while somebody reads the last one
   */
  start(
    key: ChatKey,
    request: TurnRequest,
  ): Promise<{ readonly turn: Turn; readonly isNew: boolean }> {
    return this.#inTurn(key, async () => {
      const { note, replaces, flow, keepsRunning = false } = request
      const last = await this.last(key)
      if (last !== undefined && replaces === undefined && repeats(last, note))
        return { turn: last, isNew: false }
      if (last !== undefined && last.job.finishedAt === null) {
        const isActive = last.job.state !== 'suspended' || last.job.question === null
        if (isActive && (keepsRunning || (await this.readers.stay(last.id))))
          throw new DoorError('turn_running', 'This chat is still answering. Stop it first.')
        await this.cancel(last.id)
      }
      const { parts, ...run } = await request.run()
      if (replaces !== undefined) await this.#removeFrom(key, replaces)
      const id = await this.#host.start(key, flow, run, { ...note, parts })
      const job = await this.#host.store.queue.get(id)
      if (job === null) throw new Error(`The job ${id} of a turn is unknown`)
      return { turn: { id, job, note: { ...note, parts } }, isNew: true }
    })
  }

  /**
   * Answers the open question of a turn.
   * @returns `seq` of the question's event: what comes after it is the answer's
   * @throws DoorError `question_closed`; InvalidAnswerError
   */
  async answer(turn: Turn, requestId: string, decision: unknown): Promise<void> {
    const { jobs } = this.#host
    try {
      await jobs.resume(turn.id, decision, { requestId })
    } catch (error) {
      if (isFlowError(error) && error.code === 'conflict') throw questionClosed()
      throw error
    }
  }

  /** The question that a turn waits with. */
  async question(turnId: string): Promise<PendingQuestion | undefined> {
    return (await this.#host.jobs.get(turnId))?.question
  }

  /** How a question of the turn ended, and the `seq` of its event; undefined if it did not end. */
  async answered(
    turnId: string,
    requestId: string,
  ): Promise<{ readonly decision: unknown; readonly after: number } | undefined> {
    let after = -1
    for (const { event, data, seq } of await this.log(turnId)) {
      if (event === 'suspended' && data.request_id === requestId) after = seq
      if (event === 'answered' && data.request_id === requestId)
        return { decision: data.decision ?? null, after }
    }
    return undefined
  }

  /** The log of a turn up to now. */
  async log(turnId: string): Promise<RunEvent[]> {
    const { log } = this.#host.store
    const events: RunEvent[] = []
    for (let after = -1; ;) {
      const read = await log.read(turnId, after, LOG_PAGE)
      append(events, read.map(decodeEvent))
      const last = read.at(-1)
      if (last === undefined || read.length < LOG_PAGE) return events
      after = last.seq
    }
  }

  /** The `seq` up to which events of a turn are known now. */
  async position(turnId: string): Promise<number> {
    return (await this.#host.jobs.get(turnId))?.lastSeq ?? -1
  }

  /**
   * Reads a turn until it ends or rests with a question.
   * @throws DoorError `limit_exceeded` for too many readers; FlowError if this process stops before the end
   */
  async *read(
    turnId: string,
    { after = -1, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<TurnEvents, void, undefined> {
    let ended = false
    for await (const found of this.#host.jobs.encodedEvents(turnId, { after, signal })) {
      const events = found.map(decodeEvent)
      const rests = await this.#rests(turnId, found.at(-1), signal)
      yield rests === undefined ? { events } : { events, rests }
      if (rests !== undefined) return
      ended = events.at(-1)?.event === 'end'
    }
    if (!ended) throw new FlowError('store_unavailable', 'The turn continues in another process')
  }

  /** Waits until a turn ends or rests, as one of its readers. @throws as `read` */
  async wait(turnId: string, signal: AbortSignal): Promise<void> {
    this.checkReaders(turnId)
    const left = this.readers.enter(turnId)
    try {
      for await (const _ of this.read(turnId, { signal }));
    } finally {
      left()
    }
  }

  /** @throws DoorError `limit_exceeded` */
  checkReaders(turnId: string): void {
    if (this.readers.count(turnId) < MAX_READERS) return
    const message = `A chat has at most ${MAX_READERS} readers.`
    throw new DoorError('limit_exceeded', message, { headers: { 'retry-after': '5' } })
  }

  async facts(turnId: string): Promise<TurnFacts> {
    const job = await this.#host.store.queue.get(turnId)
    if (job === null) return { durationMs: 0, usage: undefined }
    return { durationMs: durationOf(job), usage: usageOf(job) }
  }

  /** Cancels a turn and waits for its end. False if it has ended already. */
  async cancel(turnId: string): Promise<boolean> {
    const { jobs } = this.#host
    const job = await jobs.get(turnId)
    if (job === null || job.finishedAt !== null) return false
    await jobs.cancel(turnId)
    const over = new AbortController()
    const ended = jobs.result(turnId, { signal: over.signal }).catch(() => undefined)
    await withinTime(ended, CANCEL_MS, () => new Error('The turn did not end')).catch(
      () => undefined,
    )
    over.abort()
    return true
  }

  /** Cancels the chat's turn, if one runs or waits. */
  async stop(key: ChatKey): Promise<boolean> {
    const last = await this.last(key)
    return last !== undefined && last.job.finishedAt === null && (await this.cancel(last.id))
  }

  /** Removes a chat with its turns and messages. */
  remove(key: ChatKey): Promise<void> {
    return this.#inTurn(key, async () => {
      for (const turn of await this.list(key)) await this.#remove(key, turn)
      const messages = this.#host.messages(key)
      const { flowId, chatId: sessionId } = key
      const rows = (await messages?.list({ flowId, sessionId, includeErrors: true })) ?? []
      for (const { id } of rows) await messages?.remove(id)
    })
  }

  close(): void {
    this.readers.close()
  }

  /** Removes the turn of a message and all later ones; nothing for an unknown message. */
  async #removeFrom(key: ChatKey, messageId: string): Promise<void> {
    const turns = await this.list(key)
    const at = turns.findIndex(({ id, note }) => note.messageId === messageId || id === messageId)
    for (const turn of turns.slice(0, at + 1)) await this.#remove(key, turn)
  }

  async #remove(key: ChatKey, { id }: Turn): Promise<void> {
    const { store } = this.#host
    await this.cancel(id)
    const messages = this.#host.messages(key)
    if (messages !== undefined)
      for (const messageId of storedIn(await this.log(id))) await messages.remove(messageId)
    await store.queue.remove?.(id)
    await store.log.remove([id])
    await store.checkpoints.remove(id)
  }

  #inTurn<T>({ userId, flowId, chatId }: ChatKey, work: () => Promise<T>): Promise<T> {
    return this.#chats(JSON.stringify([userId, flowId, chatId]), work)
  }

  /** The question that a turn waits with at its last event. */
  async #rests(
    turnId: string,
    last: StoredEvent | undefined,
    signal: AbortSignal,
  ): Promise<PendingQuestion | undefined> {
    if (last?.event !== 'suspended') return undefined
    return await questionAfter(this.#host, turnId, { seq: last.seq, signal })
  }
}

export function questionClosed(): DoorError {
  return new DoorError('question_closed', 'This question was answered already.')
}

function repeats({ note }: Turn, { messageId, digest, door }: Omit<TurnNote, 'parts'>): boolean {
  return note.door === door && note.messageId === messageId && note.digest === digest
}

/** Ids of the messages that a turn has stored. */
export function storedIn(events: readonly RunEvent[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { event, data } of events) {
    if (event === 'add_message' || event === 'error') ids.add(data.id ?? '')
    if (event === 'remove_message') ids.delete(data.id)
  }
  ids.delete('')
  return ids
}
