import type { Metrics } from '@x/wire'

/** Observes a channel. */
export interface ChannelMetrics {
  opened(): void
  closed(): void
  subscribed(): void
  left(): void
  /** Called when a subscriber stopped reading. */
  cutOff(): void
}

/** Metrics over all channels of a process; names of channels and surfaces are not used as labels. */
export function channelMetrics(metrics: Metrics): ChannelMetrics {
  const channels = metrics.gauge({
    name: 'surface_channels_open',
    help: 'Channels that were made and not closed.',
  })
  const subscribers = metrics.gauge({
    name: 'surface_subscribers',
    help: 'Subscribers of all channels.',
  })
  const slow = metrics.counter({
    name: 'surface_slow_subscribers_total',
    help: 'Subscribers that were cut off because they stopped reading.',
  })
  subscribers.add({}, 0)
  slow.add({}, 0)
  return {
    opened: () => channels.add({}, 1),
    closed: () => channels.add({}, -1),
    subscribed: () => subscribers.add({}, 1),
    left: () => subscribers.add({}, -1),
    cutOff: () => slow.add(),
  }
}
