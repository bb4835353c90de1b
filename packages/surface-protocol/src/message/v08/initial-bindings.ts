import { Report } from '../../diagnostics/report.ts'
import type { BindingPlan } from '../../graph/definition.ts'
import { planOf } from '../../graph/plan.ts'
import type { ComponentInstance } from './messages.ts'
import { readInstance } from './read-instance.ts'

/** Returns whether a component would write to the data when it arrives. */
export function someInitialises(components: readonly ComponentInstance[]): boolean {
  return components.some((component) => initialBindings(component).length > 0)
}

/** The bound values of a component with both a path and a literal. */
export function initialBindings(component: ComponentInstance): BindingPlan[] {
  const draft = readInstance(component, '', { report: new Report(), check: () => null })
  if (draft === null) return []
  const { bindings } = planOf(draft)
  return bindings.filter(({ path, literal }) => path !== null && literal !== undefined)
}
