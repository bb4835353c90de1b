import type { JsonObject } from '../json.ts'
import { surfaceUpdate, type ComponentInstance } from '../message/v08/messages.ts'
import type { SurfaceState } from '../store/surface.ts'
import { createMirror } from './mirror.ts'

/** The data of a surface after components were sent to it. */
export function dataAfterInitialising(before: SurfaceState, sent: ComponentInstance[]): JsonObject {
  const store = createMirror([before])
  store.apply(surfaceUpdate(before.surfaceId, sent))
  return store.get(before.surfaceId)?.data ?? before.data
}
