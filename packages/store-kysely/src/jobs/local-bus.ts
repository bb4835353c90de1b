import type { LiveBus } from '@x/flow-engine/store'

/** Listeners of one process. */
export interface LocalBus extends LiveBus {
  /** Calls every listener with an empty payload, because notifications may have been missed. */
  wakeAll(): void
}

export function createLocalBus(): LocalBus {
  const channels = new Map<string, Set<(payload: string) => void>>()
  return {
    publish(channel, payload) {
      for (const listener of channels.get(channel) ?? []) listener(payload)
    },
    wakeAll() {
      for (const listener of [...channels.values()].flatMap((set) => [...set])) listener('')
    },
    subscribe(channel, listener) {
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
      }
    },
  }
}
