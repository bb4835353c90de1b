import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { LiveBus } from '@x/flow-engine/store'
import type { ListenClient, PostgresEngine } from '../engine/postgres/engine.ts'
import { createLocalBus } from './local-bus.ts'

/** A single NOTIFY channel; every process receives all messages and notifies its own listeners. */
const CHANNEL = 'x_flow_jobs'

/** PostgreSQL limits payloads to 8,000 bytes; longer ones are sent empty. */
const MAX_PAYLOAD_LENGTH = 7000

const RECONNECT_MS = 1000
/** The listening connection, which is silent by nature, is asked this often whether it is alive. */
const CHECK_MS = 30_000
/** What is published within this time after a message is sent together. */
const TOGETHER_MS = 50
/** Maximum wait for an answer. */
const ANSWER_MS = 5000

const buses = new WeakMap<PostgresEngine, LiveBus>()

/** The bus of a database in this process. */
export function postgresBus(engine: PostgresEngine): LiveBus {
  const known = buses.get(engine)
  if (known !== undefined) return known
  const bus = createPostgresBus(engine)
  buses.set(engine, bus)
  return bus
}

/**
 * Listeners in this process are called directly, those of other processes by NOTIFY. Listening begins with
 * the first subscription and continues until the database is closed; a lost connection is replaced.
 * Messages sent meanwhile are lost, so all listeners are called once listening has resumed.
 */
function createPostgresBus(engine: PostgresEngine): LiveBus {
  const local = createLocalBus()
  const self = randomUUID()
  const closing = new AbortController()
  /** Ends the wait for further messages. */
  let hurry = new AbortController()
  let listening: Promise<void> | undefined
  let waiting = new Set<string>()
  let sending: Promise<void> | undefined

  const hear = (message: string): void => {
    const heard = parseMessage(message)
    if (heard !== null && heard.from !== self) local.publish(heard.channel, heard.payload)
  }

  const send = async (): Promise<void> => {
    while (waiting.size > 0) {
      const messages = [...waiting]
      waiting = new Set()
      // Best effort: the log is authoritative, and readers also poll.
      const query = {
        text: 'select pg_notify($1, message) from unnest($2::text[]) as message',
        values: [CHANNEL, messages],
        query_timeout: ANSWER_MS,
      }
      await engine.pool.query(query).catch(() => undefined)
      await delay(TOGETHER_MS, undefined, { signal: hurry.signal, ref: false }).catch(
        () => undefined,
      )
    }
    sending = undefined
  }

  engine.beforeClose(async () => {
    closing.abort()
    hurry.abort()
    await Promise.all([sending, listening])
  })

  return {
    publish(channel, payload) {
      local.publish(channel, payload)
      if (closing.signal.aborted) return
      waiting.add(formatMessage(self, channel, payload))
      sending ??= Promise.resolve().then(send)
    },
    async flush() {
      hurry.abort()
      await sending
      hurry = new AbortController()
    },
    subscribe(channel, listener) {
      listening ??= listen(engine, { hear, begun: () => local.wakeAll(), signal: closing.signal })
      return local.subscribe(channel, listener)
    },
  }
}

interface Listening {
  readonly hear: (message: string) => void
  /** Called once all future messages will be received. */
  readonly begun: () => void
  readonly signal: AbortSignal
}

async function listen(engine: PostgresEngine, listening: Listening): Promise<void> {
  const { signal } = listening
  while (!signal.aborted) {
    const client = engine.createClient()
    await listenOnce(client, listening).catch(() => undefined)
    await client.end().catch(() => undefined)
    await delay(RECONNECT_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Resolves when the connection is lost or the signal is aborted. */
async function listenOnce(client: ListenClient, { hear, begun, signal }: Listening): Promise<void> {
  let stop = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    stop = resolve
    client.on('error', stop)
    client.on('end', stop)
    signal.addEventListener('abort', stop, { once: true })
  })
  client.on('notification', ({ payload }) => hear(payload ?? ''))
  try {
    await Promise.race([client.connect(), ended])
    if (!signal.aborted) {
      const asked = client.query(`listen ${CHANNEL}`).then(begun)
      await Promise.race([asked, ended])
    }
    await Promise.race([ended, silent(client, signal)])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Resolves when the connection no longer answers, or the signal is aborted. */
async function silent(client: ListenClient, signal: AbortSignal): Promise<void> {
  const within = (ms: number): Promise<boolean> =>
    delay(ms, false, { signal, ref: false }).catch(() => false)
  let answers = true
  while (answers && !signal.aborted) {
    await within(CHECK_MS)
    if (signal.aborted) return
    const answered = client.query('select 1').then(
      () => true,
      () => false,
    )
    answers = await Promise.race([answered, within(ANSWER_MS)])
  }
}

function formatMessage(from: string, channel: string, payload: string): string {
  const message = JSON.stringify([from, channel, payload])
  return Buffer.byteLength(message) < MAX_PAYLOAD_LENGTH
    ? message
    : JSON.stringify([from, channel, ''])
}

function parseMessage(
  message: string,
): { readonly from: string; readonly channel: string; readonly payload: string } | null {
  try {
    const parts: unknown = JSON.parse(message)
    if (!Array.isArray(parts)) return null
    const [from, channel, payload]: unknown[] = parts
    const texts = [from, channel, payload].map((part) => (typeof part === 'string' ? part : ''))
    return { from: texts[0] ?? '', channel: texts[1] ?? '', payload: texts[2] ?? '' }
  } catch {
    return null
  }
}
