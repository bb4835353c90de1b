import { createSystemRuntime } from '@x/wire'
import { SurfaceError, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { checkOptions } from '../catalog/check-options.ts'
import type { AnyClientMessage, AnyServerMessage } from '../message/any-message.ts'
import { familyOf, readVersion, type Version } from '../data/version.ts'
import { createOpenStore, stateOfStore, type AnySurfaceStore } from '../store/store.ts'
import { createCatalogNames, type CatalogNames } from './catalog-names.ts'
import { ChannelHistory, type Converted, type HistoryEntry } from './channel-history.ts'
import { createChannelReader, type ChannelReader, type SlowRules } from './channel-reader.ts'
import {
  createConverter,
  deletion,
  isOfFamily,
  readVersions,
  refuseVersion,
  versionOfAction,
  type MessageConverter,
} from './channel-versions.ts'
import type { ChannelItem } from './channel-item.ts'
import { channelOptionNames, type SurfaceChannelOptions } from './channel-options.ts'
import { channelMetrics, type ChannelMetrics } from './channel-metrics.ts'
import { createDeliveries } from './deliveries.ts'
import { catchUp } from './catch-up.ts'
import { noteSurface, SurfaceTimes } from './surface-times.ts'

/** Where a subscription starts. */
export interface SubscribeOptions {
  /** Default: the version of the channel. */
  readonly version?: Version
  /**
   * Catalog ids that the viewer knows, the preferred ones first: surfaces name their catalog by the first of them that
   * stands for it (at most 64). Default: as sent.
   */
  readonly catalogs?: readonly string[]
  /** Continue after this id. Default, or if empty: the first message. */
  readonly after?: string
  /** Ends the subscription and its iteration. */
  readonly signal?: AbortSignal
}

/** Distributes messages of one sender to any number of subscribers. */
export interface SurfaceChannel {
  /** Version of the messages to send. */
  readonly version: Version
  /** Versions subscribers may request. */
  readonly versions: readonly Version[]
  /**
   * Numbers a message. Resolves when every subscriber has room for the next one or was ended because it
   * stopped reading.
   * @throws SurfaceError `channel_closed`
   */
  send(message: AnyServerMessage): Promise<void>
  /** Ends all subscriptions after pending messages, with the error if given. */
  close(error?: unknown): void
  /**
   * @throws SurfaceError from the iteration: `resume_gap` if messages are missing and there is no state to
   * start from, `too_slow` if the subscriber stopped reading, `limit_exceeded` (503) beyond `maxSubscribers`
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<ChannelItem>
  /**
   * A client's message in the version of the channel, with the ids of the source's components; a message that is none of
   * a subscriber's versions stays as it is.
   */
  fromClient(message: AnyClientMessage): AnyClientMessage
  /** Id of the last message sent. */
  readonly lastId: string | null
}

/** Creates a channel. @throws TypeError for invalid options */
export function createSurfaceChannel(options: SurfaceChannelOptions = {}): SurfaceChannel {
  return new Channel(options)
}

/** A class: V8 retains the closures of an object literal with a getter until a full collection. */
class Channel implements SurfaceChannel {
  readonly version: Version
  readonly versions: readonly Version[]
  /** Converters to other versions; each message is converted once. */
  readonly #converters: ReadonlyMap<Version, MessageConverter>
  readonly #name: string
  readonly #store: AnySurfaceStore | undefined
  readonly #mirrors: boolean
  readonly #highWaterMark: number
  readonly #maxSubscribers: number
  readonly #slow: SlowRules | null
  readonly #history: ChannelHistory
  readonly #readers = new Map<ChannelReader, Subscriber>()
  readonly #deliveries = createDeliveries<Subscription>((entry, to) => this.#deliver(entry, to))
  readonly #mentioned = new Set<string>()
  readonly #times = new SurfaceTimes()
  readonly #counts: ChannelMetrics | undefined
  readonly #onLoss: SurfaceChannelOptions['onLoss']
  readonly #aliases: SurfaceChannelOptions['catalogAliases']
  readonly #told = new Set<string>()
  /** The current state; created when the first message is dropped from the history. */
  #mirror: AnySurfaceStore | null = null
  #closed: { readonly error: unknown } | null = null

  constructor(options: SurfaceChannelOptions) {
    checkOptions('createSurfaceChannel', options, channelOptionNames)
    const { history = 1000, historyBytes = 67_108_864, highWaterMark = 64 } = options
    const { store, mirror = true, runtime = createSystemRuntime() } = options
    const { onSlow = 'disconnect', slowMs = 5000 } = options
    const messages = atLeast('history', history, 0)
    this.#history = new ChannelHistory({
      messages,
      bytes: atLeast('historyBytes', historyBytes, 0),
    })
    this.#highWaterMark = atLeast('highWaterMark', highWaterMark, 1)
    this.#maxSubscribers = atLeast('maxSubscribers', options.maxSubscribers ?? 10_000, 1)
    this.#counts = options.metrics && channelMetrics(options.metrics)
    const ms = atLeast('slowMs', slowMs, 1)
    if (onSlow !== 'disconnect' && onSlow !== 'wait')
      throw new TypeError('onSlow must be disconnect or wait')
    const lag = Math.max(messages, highWaterMark)
    this.#slow = onSlow === 'wait' ? null : { ms, lag, runtime }
    this.#store = store
    this.#aliases = options.catalogAliases
    this.version = options.version === undefined ? versionOf(store) : readVersion(options.version)
    if (store !== undefined && !isOfFamily(store.version, this.version)) {
      throw new TypeError('The store must have the version of the channel')
    }
    this.versions = readVersions(this.version, options.versions)
    const further = this.versions.filter((version) => version !== this.version)
    this.#converters = new Map(further.map((version) => [version, this.#converterTo(version)]))
    this.#onLoss = options.onLoss
    this.#mirrors = store === undefined && mirror
    this.#name = runtime.uuid()
    this.#counts?.opened()
  }

  get lastId(): string | null {
    return this.#history.count === 0 ? null : this.#idOf(this.#history.count)
  }

  async send(message: AnyServerMessage): Promise<void> {
    if (this.#closed !== null) {
      throw new SurfaceError({ code: 'channel_closed', detail: 'The channel is closed.' })
    }
    const { entry, dropped } = this.#history.add(message, this.#convert(message))
    noteSurface(message, this.#mentioned)
    this.#times.note(entry.number, message)
    if (this.#mirror !== null) this.#mirror.apply(message)
    else if (this.#mirrors && dropped.length > 0) this.#mirror = this.#mirrorOf(dropped)
    const delivered = this.#readers.size > 0 && this.#deliveries.add(entry, this.#readers)
    if (this.#onLoss !== undefined) this.#tellLosses(this.#onLoss)
    await delivered
  }

  #converterTo(version: Version): MessageConverter {
    return createConverter(this.version, version, {
      store: this.#store,
      catalogAliases: this.#aliases,
    })
  }

  /** Once for each surface and list of ids. */
  #tellUnknown(loss: SurfaceDiagnostic, version: Version, catalogs: readonly string[]): void {
    const key = JSON.stringify([loss.surfaceId, catalogs])
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) return
    this.#told.add(key)
    this.#onLoss?.(loss, version)
  }

  fromClient(message: AnyClientMessage): AnyClientMessage {
    if (this.version === '0.8') return message
    const asked = versionOfAction(message)
    if (asked === null || isOfFamily(asked, this.version)) return message
    const served = [...this.#converters].find(([version]) => isOfFamily(asked, version))
    if (served !== undefined) return served[1].back(message)
    const isNamed = asked === '0.8' || asked === '0.9' || asked === '0.9.1'
    return isNamed ? this.#converterTo(asked).back(message) : message
  }

  #tellLosses(onLoss: (loss: SurfaceDiagnostic, version: Version) => void): void {
    for (const [version, { takeLosses }] of this.#converters) {
      for (const loss of takeLosses()) onLoss(loss, version)
    }
  }

  /** A subscriber that joined after the message already has it. */
  #deliver(entry: HistoryEntry, [reader, subscriber]: Subscription): Promise<void> | null {
    if (subscriber.number >= entry.number) return null
    subscriber.number = entry.number
    return reader.push(this.#itemsOf(entry, subscriber))
  }

  #convert(message: AnyServerMessage): Converted {
    const converted = new Map<Version, readonly AnyServerMessage[]>()
    for (const [version, { push }] of this.#converters) converted.set(version, push(message))
    return converted
  }

  close(error?: unknown): void {
    if (this.#closed !== null) return
    this.#closed = { error }
    this.#counts?.closed()
    this.#deliveries.flush()
    for (const reader of this.#readers.keys()) reader.finish(error)
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<ChannelItem> {
    return { [Symbol.asyncIterator]: () => this.#read(options) }
  }

  #read(options: SubscribeOptions): AsyncIterator<AnyItem> {
    const { after = '', version = this.version, signal, catalogs = [] } = options
    if (!this.versions.includes(version)) refuseVersion(version, this.versions)
    const { name } = createCatalogNames(catalogs, {
      version,
      aliases: this.#aliases,
      onUnknown: (loss) => this.#tellUnknown(loss, version, catalogs),
    })
    if (this.#readers.size >= this.#maxSubscribers) {
      const detail = `The channel has ${this.#maxSubscribers} subscribers. Try again later.`
      throw new SurfaceError({ code: 'limit_exceeded', status: 503, detail })
    }
    const subscriber: Subscriber = { version, name, last: after, number: this.#history.count }
    const reader = createChannelReader({
      waiting: this.#backlog(after, subscriber),
      highWaterMark: this.#highWaterMark,
      slow: this.#slow,
      onLeave: (left) => {
        if (this.#readers.delete(left)) this.#counts?.left()
      },
      onSlow: () => this.#counts?.cutOff(),
      ...(signal === undefined ? {} : { signal }),
    })
    if (this.#closed !== null) reader.finish(this.#closed.error)
    else if (signal?.aborted !== true) {
      this.#readers.set(reader, subscriber)
      this.#counts?.subscribed()
    }
    return reader.iterator
  }

  /** The messages a subscriber has missed. */
  #backlog(after: string, subscriber: Subscriber): AnyItem[] {
    const position = after === '' ? 0 : positionOf(after, this.#name)
    const missed = position === null ? null : this.#history.after(position)
    if (missed !== null) {
      const items = missed.flatMap((entry) => this.#itemsOf(entry, subscriber))
      return [...this.#repeated(missed[0], after, subscriber), ...items]
    }
    // Ids of another channel are only known to a store that outlives this one.
    const isOwn = position !== null && position <= this.#history.count
    const store = this.#store ?? (isOwn ? this.#mirror : null)
    if (store !== null) return this.#snapshot(store, subscriber, isOwn ? position : 0)
    throw new SurfaceError({
      code: 'resume_gap',
      detail: 'The messages after this position are no longer available.',
    })
  }

  /** Deletes a surface the subscriber may hold because it disconnected within this message. */
  #repeated(entry: HistoryEntry | undefined, after: string, { version }: Subscriber): AnyItem[] {
    const list = entry?.converted.get(version) ?? []
    if (list.length < 2) return []
    return list.flatMap((message) =>
      'createSurface' in message
        ? [{ id: after, message: deletion(message.createSurface.surfaceId, version) }]
        : [],
    )
  }

  #mirrorOf(dropped: readonly HistoryEntry[]): AnySurfaceStore {
    const mirror = createOpenStore(this.version)
    const kept = this.#history.after(this.#history.first) ?? []
    for (const { message } of [...dropped, ...kept]) mirror.apply(message)
    return mirror
  }

  /**
   * Sends a subscriber the current state, of 0.9.1 only what it lacks since a message if that is known; else its surfaces
   * are deleted first. Only the last item has an id, so that a subscriber that disconnects before it receives
   * everything again.
   */
  #snapshot(store: AnySurfaceStore, subscriber: Subscriber, since: number): AnyItem[] {
    const { version, last: after, name } = subscriber
    const { push } = this.#converterTo(version)
    const isKnown = since > 0 && this.#times.knows(since)
    const isPlain = familyOf(version) === '0.9' && familyOf(this.version) === '0.9'
    const surfaceIds = new Set([...this.#mentioned, ...store.surfaceIds()])
    const messages =
      isKnown && isPlain
        ? catchUp(store, this.#times, { since, isMirror: store === this.#mirror })
            .flatMap(push)
            .map(name)
        : [
            ...Array.from(surfaceIds, (surfaceId) => deletion(surfaceId, version)),
            ...(store.snapshot() as AnyServerMessage[]).flatMap(push).map(name),
          ]
    const items = messages.map((message) => ({ id: after, message }))
    const last = items.at(-1)
    if (last !== undefined) {
      last.id = this.#idOf(this.#history.count)
      subscriber.last = last.id
    }
    return items
  }

  /** A message in the subscriber's version; only the last item has its id. */
  #itemsOf({ number, message, converted }: HistoryEntry, subscriber: Subscriber): AnyItem[] {
    const list = converted.get(subscriber.version) ?? [message]
    const items = list.map((one) => ({ id: subscriber.last, message: subscriber.name(one) }))
    const last = items.at(-1)
    if (last !== undefined) {
      last.id = this.#idOf(number)
      subscriber.last = last.id
    }
    return items
  }

  #idOf(number: number): string {
    return `${this.#name}.${number}`
  }
}

function atLeast(name: string, value: number, minimum: number): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value
  throw new TypeError(`${name} must be an integer of at least ${minimum}`)
}

/** The number of an id of this channel; null for other ids. */
function positionOf(id: string, name: string): number | null {
  if (!id.startsWith(`${name}.`)) return null
  const digits = id.slice(name.length + 1)
  return /^[1-9]\d{0,15}$/.test(digits) ? Number(digits) : null
}

type AnyItem = { id: string; message: AnyServerMessage }

/** Maximum number of losses of catalog ids that are remembered. */
const MAX_TOLD = 1000

interface Subscriber {
  readonly version: Version
  readonly name: CatalogNames['name']
  /** Its id after it has read all queued items. */
  last: string
  /** Number of the latest message delivered to it. */
  number: number
}

type Subscription = readonly [ChannelReader, Subscriber]

/** The version of a store. Default 0.8. */
function versionOf(store: AnySurfaceStore | undefined): Version {
  return store === undefined ? '0.8' : stateOfStore(store).settings.protocol
}
