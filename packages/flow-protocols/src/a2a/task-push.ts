import type { StreamResponse, TaskPushNotificationConfig } from '@a2a-js/sdk'
import { createKeyedQueue, withinTime } from '@x/wire'
import type { DoorCall } from '../http/door-call.ts'
import { invalid } from '../http/door-error.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { TurnPartReader } from '../turns/turn-part-reader.ts'
import { turnOf, type Turn } from '../turns/turn.ts'
import type { A2aSdk } from './a2a-sdk.ts'
import { MAX_PUSH_CONFIGS, readPushConfig, toPushConfig, type PushConfig } from './push-config.ts'
import { TaskNotifications } from './task-notifications.ts'
import { TaskWriter } from './task-writer.ts'

/** What a door needs to notify. */
export interface PushHost {
  /** Reaches public hosts, and those of `allow`; checks the address of each connection. */
  readonly fetch: typeof fetch
  readonly allow: readonly string[]
  /** Seals the settings of a task. */
  readonly box: {
    seal(text: string, context: string): Promise<string>
    open(sealed: string, context: string): Promise<string | null>
  }
}

/** Kept among the states of the job. */
const STATE = '?0?push'
const CONTEXT = 'push settings'
/** Milliseconds before each further try. */
const TRIES = [0, 1000, 5000, 25_000]
const TIMEOUT_MS = 10_000

interface PushState {
  readonly configs: readonly PushConfig[]
  /** Number of notifications that were sent. */
  readonly sent: number
  /** Address of the request, for addresses of files. */
  readonly base: string
}

interface Following {
  readonly gone: AbortController
  /** Something has changed since it began to read. */
  again: boolean
}

/** Notifies other agents about tasks, in order and at least once, also after a restart. */
export class TaskPush {
  readonly #parts: DoorParts
  readonly #push: PushHost
  readonly #sdk: () => Promise<A2aSdk>
  readonly #following = new Map<string, Following>()
  readonly #changes = createKeyedQueue()

  constructor(parts: DoorParts, push: PushHost, sdk: () => Promise<A2aSdk>) {
    this.#parts = parts
    this.#push = push
    this.#sdk = sdk
  }

  /** @throws DoorError `invalid_request` */
  check(config: TaskPushNotificationConfig): PushConfig {
    const { allow } = this.#push
    return readPushConfig(config, { allow, newId: () => this.#parts.host.runtime.uuid() })
  }

  /**
   * @param options `isNew`: the task has just begun, so that all of it is notified
   * @throws DoorError `invalid_request`
   */
  async set(
    turn: Turn,
    config: PushConfig,
    { base, isNew = false }: { readonly base: string; readonly isNew?: boolean },
  ): Promise<TaskPushNotificationConfig> {
    await this.#changes(turn.id, async () => {
      const known = await this.#read(turn.id)
      const others = (known?.configs ?? []).filter(({ id }) => id !== config.id)
      if (others.length >= MAX_PUSH_CONFIGS)
        throw invalid(`A task has at most ${MAX_PUSH_CONFIGS} push settings`)
      const sent = known?.sent ?? (isNew ? 0 : await this.#count(turn, base))
      await this.#write(turn.id, { configs: [...others, config], sent, base })
    })
    this.follow(turn.id)
    return toPushConfig(config, turn.id)
  }

  async list(turnId: string): Promise<TaskPushNotificationConfig[]> {
    return ((await this.#read(turnId))?.configs ?? []).map((one) => toPushConfig(one, turnId))
  }

  /** False for an unknown setting. */
  remove(turnId: string, configId: string): Promise<boolean> {
    return this.#changes(turnId, async () => {
      const known = await this.#read(turnId)
      const configs = known?.configs.filter(({ id }) => id !== configId) ?? []
      if (known === undefined || configs.length === known.configs.length) return false
      await this.#write(turnId, { ...known, configs })
      return true
    })
  }

  /** Notifies about a task until it ends or asks, if it has settings. Once in a process. */
  follow(turnId: string): void {
    const known = this.#following.get(turnId)
    if (known !== undefined) known.again = true
    if (known !== undefined) return
    const gone = new AbortController()
    const following: Following = { gone, again: true }
    this.#following.set(turnId, following)
    const work = async (): Promise<void> => {
      try {
        while (following.again && !gone.signal.aborted) {
          following.again = false
          await this.#notify(turnId, gone.signal)
        }
      } catch (error) {
        if (!gone.signal.aborted) this.#parts.host.onError(error)
      } finally {
        this.#following.delete(turnId)
      }
    }
    void work()
  }

  close(): void {
    for (const { gone } of this.#following.values()) gone.abort()
  }

  async #notify(turnId: string, signal: AbortSignal): Promise<void> {
    const { turns, host } = this.#parts
    const state = await this.#read(turnId)
    const job = state === undefined ? null : await host.store.queue.get(turnId)
    const turn = job === null ? undefined : turnOf(job)
    if (state === undefined || turn === undefined) return
    const { reader, notifications } = await this.#reading(turn, state.base)
    let { sent } = state
    let number = 0
    for await (const { events } of turns.read(turnId, { signal })) {
      for (const part of await reader.read(events))
        for (const notification of notifications.read(part)) {
          number += 1
          if (number <= sent) continue
          const { configs } = (await this.#read(turnId)) ?? state
          for (const config of configs) await this.#deliver(config, notification, signal)
          sent = number
          await this.#changes(turnId, async () =>
            this.#write(turnId, { ...((await this.#read(turnId)) ?? state), sent }),
          )
        }
    }
  }

  async #count(turn: Turn, base: string): Promise<number> {
    const { reader, notifications } = await this.#reading(turn, base)
    const parts = await reader.read(await this.#parts.turns.log(turn.id))
    return parts.flatMap((part) => notifications.read(part)).length
  }

  async #reading(turn: Turn, base: string) {
    const { job } = turn
    const call: DoorCall = {
      request: new Request(base),
      userId: job.userId ?? '',
      flow: { id: job.flowId } as DoorCall['flow'],
      variables: {},
      bytes: () => Promise.reject(new TypeError('A notification has no body')),
    }
    const reader = new TurnPartReader({ parts: this.#parts, call, turn })
    const writer = new TaskWriter({ sdk: await this.#sdk(), turn, files: reader.files })
    return { reader, notifications: new TaskNotifications(writer, turn) }
  }

  async #deliver(config: PushConfig, given: StreamResponse, signal: AbortSignal): Promise<void> {
    const { StreamResponse: form } = await this.#sdk()
    const body = JSON.stringify(form.toJSON(given))
    for (const wait of TRIES) {
      if (wait > 0) await this.#parts.host.runtime.sleep(wait, signal)
      if (await this.#send(config, body, signal)) return
    }
    this.#parts.host.onError(new Error('An agent took no push notification of its task'))
  }

  async #send(
    { url, token, scheme, credentials }: PushConfig,
    body: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const over = new AbortController()
    try {
      const answer = this.#push.fetch(url, {
        method: 'POST',
        redirect: 'manual',
        body,
        signal: AbortSignal.any([signal, over.signal]),
        headers: {
          'content-type': 'application/json',
          ...(token === '' ? {} : { 'x-a2a-notification-token': token }),
          ...(scheme === '' ? {} : { authorization: `${scheme} ${credentials}` }),
        },
      })
      const late = (): Error => new Error('No answer in time')
      const { ok, body: rest } = await withinTime(answer, TIMEOUT_MS, late)
      await rest?.cancel()
      return ok
    } catch (error) {
      if (signal.aborted) throw error
      return false
    } finally {
      over.abort()
    }
  }

  async #read(turnId: string): Promise<PushState | undefined> {
    const states = await this.#parts.host.store.checkpoints.list(turnId)
    const sealed = states.find(({ vertexId }) => vertexId === STATE)?.state
    const text = sealed === undefined ? null : await this.#push.box.open(sealed, context(turnId))
    return text === null ? undefined : (JSON.parse(text) as PushState)
  }

  async #write(turnId: string, state: PushState): Promise<void> {
    const sealed = await this.#push.box.seal(JSON.stringify(state), context(turnId))
    await this.#parts.host.store.checkpoints.put(turnId, STATE, sealed)
  }
}

const context = (turnId: string): string => `${CONTEXT} ${turnId}`
