/** A running call. */
export interface RunningCall {
  /** Aborted by `cancel`, `cancelUser`, and the client's own signal. */
  readonly signal: AbortSignal
  abort(): void
  /** Releases its slot. */
  close(): void
}

/**
 * Calls running in this process: limited per user, and registered so that they can be cancelled.
 */
export interface Calls {
  /** Null if the user has too many running calls. */
  open(userId: string, key?: string): RunningCall | null
  /** Cancels the call with this key, if there is one. */
  cancel(key: string): void
  /** Cancels all calls of a user. */
  cancelUser(userId: string): void
}

export function createCalls(most: number): Calls {
  const users = new Map<string, Set<AbortController>>()
  const keys = new Map<string, AbortController>()
  return {
    open(userId, key) {
      const running = users.get(userId) ?? new Set()
      if (running.size >= most) return null
      const controller = new AbortController()
      users.set(userId, running.add(controller))
      if (key !== undefined) keys.set(key, controller)
      return {
        signal: controller.signal,
        abort: () => controller.abort(),
        close() {
          running.delete(controller)
          if (running.size === 0 && users.get(userId) === running) users.delete(userId)
          if (key !== undefined && keys.get(key) === controller) keys.delete(key)
        },
      }
    },
    cancel: (key) => keys.get(key)?.abort(),
    cancelUser(userId) {
      for (const controller of users.get(userId) ?? []) controller.abort()
    },
  }
}

/** The key of a call: the same label and id on the same server identify the same call. */
export function callKey(scope: string, label: string, id: string | number): string {
  return JSON.stringify([scope, label, id])
}
