/** Options of the AI SDK and AG-UI interfaces. */
export interface DoorOptions {
  /** Milliseconds after which a turn that nobody reads is cancelled; null: never. Default 30,000. */
  readonly unreadMs?: number | null
  /** `request`: memory sees the messages of the request. Default `stored`. */
  readonly history?: 'stored' | 'request'
  /** Sends what models think before they answer. Default true. */
  readonly reasoning?: boolean
  /** Seconds that an address of a file is good for. Default 3,600. */
  readonly fileUrlSeconds?: number
}

const NAMES: ReadonlySet<string> = new Set(['unreadMs', 'history', 'reasoning', 'fileUrlSeconds'])

/**
 * Applies the defaults.
 * @param door name of the option, for errors
 * @throws TypeError naming the wrong option
 */
export function resolveDoorOptions(given: false | DoorOptions | undefined, door: string) {
  const options = given === false ? {} : (given ?? {})
  for (const name of Object.keys(options))
    if (!NAMES.has(name)) throw new TypeError(`${door}.${name} is not an option`)
  const { unreadMs = 30_000, history = 'stored', reasoning = true, fileUrlSeconds = 3600 } = options
  if (unreadMs !== null && !(Number.isFinite(unreadMs) && unreadMs >= 0))
    throw new TypeError(`${door}.unreadMs must be a number of milliseconds, or null`)
  if (history !== 'stored' && history !== 'request')
    throw new TypeError(`${door}.history must be stored or request`)
  if (!(Number.isInteger(fileUrlSeconds) && fileUrlSeconds > 0))
    throw new TypeError(`${door}.fileUrlSeconds must be a positive integer`)
  return { unreadMs, history, reasoning, fileUrlSeconds }
}

/** Options of the A2A interface. */
export interface A2aDoorOptions {
  /** Id or endpoint name of the flow whose card is at `/.well-known/agent-card.json`. Default: none. */
  readonly rootFlow?: string
}

/** @throws TypeError naming the wrong option */
export function resolveA2aOptions(given: false | A2aDoorOptions | undefined): A2aDoorOptions {
  const options = given === false ? {} : (given ?? {})
  for (const name of Object.keys(options))
    if (name !== 'rootFlow') throw new TypeError(`a2a.${name} is not an option`)
  if (options.rootFlow !== undefined && typeof options.rootFlow !== 'string')
    throw new TypeError('a2a.rootFlow must be the id or the endpoint name of a flow')
  return options
}
