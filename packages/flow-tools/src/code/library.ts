import { createRegistry, type Component, type ComponentRegistry, isComponent } from '@x/flow-engine'
import * as basic from '@x/flow-engine/components'
import * as more from '@x/flow-components'

/** A component of the library and the TypeScript that names it. */
interface Named {
  readonly space: 'c' | 'more'
  readonly name: string
}

/** The components that sources can name. */
export interface Library {
  readonly registry: ComponentRegistry
  nameOf(component: Component): Named | undefined
}

let known: Library | undefined

/** The built-in components, by the names under which their packages export them. */
export function library(): Library {
  if (known !== undefined) return known
  const names = new Map<Component, Named>()
  for (const [name, value] of Object.entries(more))
    if (isComponent(value)) names.set(value, { space: 'more', name })
  for (const [name, value] of Object.entries(basic))
    if (isComponent(value)) names.set(value, { space: 'c', name })
  known = {
    registry: createRegistry(more.builtinComponents),
    nameOf: (component) => names.get(component),
  }
  return known
}
