import { createSystemRuntime } from '@x/wire'
import { existsSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const runtime = createSystemRuntime()
/** Several changes of one moment are taken together. */
const SETTLE_MS = 100
/** No longer, however fast changes follow. */
const MOST_MS = 400

/** Files of a project that a run may depend on. */
const SOURCE = /\.(?:[cm]?[jt]s|json|py)$/

/** Waits for changes of files. */
export interface Changes {
  /** Resolves to the file that changed first, once the changes have settled; rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<string>
  /** Watches the folders of further files. */
  add(files: Iterable<string>): void
  close(): void
}

/** Watches the folders of files: sources, flows and code within them. */
export function watchChanges(
  files: Iterable<string>,
  isIgnored: (path: string) => boolean,
): Changes {
  const watchers = new Map<string, ReturnType<typeof watch>>()
  const state: { first?: string | undefined; last: number; wake?: () => void } = { last: 0 }
  const changed = (folder: string, name: string | null): void => {
    if (name === null || !SOURCE.test(name) || basename(name).startsWith('.')) return
    const path = join(folder, name)
    if (path.includes('node_modules') || isIgnored(path)) return
    state.first ??= path
    state.last = runtime.now().getTime()
    state.wake?.()
  }
  const add = (more: Iterable<string>): void => {
    for (const file of more) {
      const folder = dirname(file)
      if (watchers.has(folder) || !existsSync(folder)) continue
      // Code of a node lies in a folder beside its flow.
      const recursive = /\.flow\.[cm]?[jt]s$/.test(file)
      const watcher = watch(folder, { recursive }, (_event, name) => changed(folder, name))
      watcher.on('error', () => undefined)
      watchers.set(folder, watcher)
    }
  }
  add(files)
  return {
    add,
    async next(signal) {
      while (state.first === undefined)
        await new Promise<void>((resolve, reject) => {
          const stop = (): void => reject(signal.reason as Error)
          state.wake = () => {
            signal.removeEventListener('abort', stop)
            resolve()
          }
          if (signal.aborted) stop()
          else signal.addEventListener('abort', stop, { once: true })
        })
      const began = state.last
      for (let quiet = 0; quiet < SETTLE_MS && runtime.now().getTime() - began < MOST_MS;) {
        await runtime.sleep(SETTLE_MS - quiet, signal)
        quiet = runtime.now().getTime() - state.last
      }
      const file = state.first
      state.first = undefined
      return file
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
