/** A call that runs. */
export interface OpenCall {
  /** Aborted by `cancel` and `cancelUser`, and by the client's own signal. */
  readonly signal: AbortSignal
  abort(): void
  /** Frees its place. */
  close(): void
}

/** Calls that run in this process: counted for each user, and found again to be cancelled (MC-28, MC-43). */
export interface Calls {
  /** Null when too many calls of the user run. */
  open(userId: string, key?: string): OpenCall | null
  /** Cancels the call of this key; other keys cancel nothing. */
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

/** The key of a call: equal label and id to the same server mean the same call. */
export function callKey(scope: string, label: string, id: string | number): string {
  return JSON.stringify([scope, label, id])
}
