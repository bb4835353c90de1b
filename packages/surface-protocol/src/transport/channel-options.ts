import type { Metrics, Runtime } from '@x/wire'
import type { OptionNames } from '../catalog/check-options.ts'
import type { Version } from '../data/version.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import type { AnySurfaceStore } from '../store/store.ts'

/** Options of a channel. */
export interface SurfaceChannelOptions {
  /** Version of the messages to send. Default: the store's, or 0.8. */
  readonly version?: Version
  /** Versions subscribers may request. Default: only `version`. */
  readonly versions?: readonly Version[]
  /** Number of messages kept for late and returning subscribers. Default: 1000. */
  readonly history?: number
  /** Encoded size of these messages in bytes. Default: 67,108,864. */
  readonly historyBytes?: number
  /** Messages queued for a subscriber before `send` waits. Default: 64. */
  readonly highWaterMark?: number
  /**
   * Provides the state for subscribers if the history does not suffice. Default: a mirror. A store that
   * receives each message before it is sent, such as a writer's, also provides function values for versions
   * without functions.
   */
  readonly store?: AnySurfaceStore
  /** Alternative catalog ids, mapped to known ones. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /**
   * Called with losses of converted messages, once per component and kind, while a message is
   * delivered. If it throws, `send` rejects.
   */
  readonly onLoss?: (loss: SurfaceDiagnostic, version: Version) => void
  /**
   * Without `store`, the channel applies its own messages to a mirror that provides the state for new
   * subscribers. If false, they get `resume_gap` once the history is full. Default: true.
   */
  readonly mirror?: boolean
  /**
   * Handling of a subscriber that stops reading: it is ended with `too_slow`, or `send` waits for it.
   * Default: disconnect.
   */
  readonly onSlow?: 'disconnect' | 'wait'
  /** Milliseconds without a consumed message after which a subscription is ended. Default: 5000. */
  readonly slowMs?: number
  /** Simultaneous subscribers. Default: 10000. */
  readonly maxSubscribers?: number
  /** Source of the channel's name and of time. Default: the system. */
  readonly runtime?: Runtime
  /** Counts open channels, subscribers, and those cut off as too slow. */
  readonly metrics?: Metrics
}

/** The names of a channel's options. */
export const channelOptionNames: OptionNames<SurfaceChannelOptions> = {
  version: true,
  versions: true,
  history: true,
  historyBytes: true,
  highWaterMark: true,
  store: true,
  catalogAliases: true,
  onLoss: true,
  mirror: true,
  onSlow: true,
  slowMs: true,
  maxSubscribers: true,
  runtime: true,
  metrics: true,
}
