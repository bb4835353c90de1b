import type { Runtime } from '@x/wire'
import type { FindCore } from '../catalog/v1/find-catalog.ts'
import type { JsonObject } from '../json.ts'
import type { AnySurfaceStore } from '../store/store.ts'

/** Settings shared by both directions. */
export interface RpcSettings {
  readonly store: AnySurfaceStore
  readonly find: FindCore
  readonly send: (message: JsonObject) => void | Promise<void>
  readonly timeoutMs: number
  readonly maxPending: number
  readonly runtime: Runtime
  readonly onError: (error: unknown) => void
}
