import type { JsonObject } from '../json.ts'
import { surfaceUpdate, type ComponentInstance } from '../message/v08/messages.ts'
import { readInstance } from '../message/v08/read-instance.ts'
import { Report } from '../diagnostics/report.ts'
import type { BindingPlan } from '../graph/definition.ts'
import { planOf } from '../graph/plan.ts'
import type { SurfaceState } from '../store/surface.ts'
import { createMirror } from './mirror.ts'

/** Whether a component would write into the data when it arrives (SP-37). */
export function someInitialises(components: readonly ComponentInstance[]): boolean {
  return components.some((component) => initialBindings(component).length > 0)
}

/** The bound values of a component that have both a path and a literal. */
export function initialBindings(component: ComponentInstance): BindingPlan[] {
  const draft = readInstance(component, '', { report: new Report(), check: () => null })
  if (draft === null) return []
  const { bindings } = planOf(draft)
  return bindings.filter(({ path, literal }) => path !== null && literal !== undefined)
}

/** The data of a surface after the components were sent to it. */
export function dataAfterInitialising(before: SurfaceState, sent: ComponentInstance[]): JsonObject {
  const store = createMirror([before])
  store.apply(surfaceUpdate(before.surfaceId, sent))
  return store.get(before.surfaceId)?.data ?? before.data
}
