import { valueAt } from '../data/data-value.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { pathLocation } from '../functions/evaluate.ts'
import { planOf } from '../graph/plan.ts'
import { formatPointer } from '../json.ts'
import type { StoreSettings } from './state.ts'
import type { Surface } from './surface.ts'

/** The scopes of a component: locations of the entries that contain it. */
type Scopes = readonly (readonly string[])[]

/**
 * The first template of a surface whose data are a map with entries, which no version after 0.8 iterates; null if
 * there is none. Visits the components with templates and, for templates within templates, the entries.
 */
export function findMapTemplate(
  { id: surfaceId, root, graph, data }: Surface,
  { dialect }: StoreSettings,
): SurfaceDiagnostic | null {
  if (dialect.family === '0.8' || root === null) return null
  const known = new Map<string, Scopes>()
  const entriesOf = (componentId: string, child: string): Scopes =>
    templatesOf(componentId)
      .filter((group) => group.componentId === child)
      .flatMap(({ binding }) =>
        scopesOf(componentId).flatMap((scope) => {
          const location = pathLocation(binding, scope)
          const value = valueAt(data.root, location)
          return Array.isArray(value) ? value.map((_, index) => [...location, String(index)]) : []
        }),
      )
  const templatesOf = (componentId: string) => {
    const definition = graph.definitions.get(componentId)
    if (definition === undefined || definition.templates.length === 0) return []
    return planOf(definition).groups.filter((group) => group.kind === 'template')
  }
  const scopesOf = (componentId: string): Scopes => {
    const found = known.get(componentId)
    if (found !== undefined) return found
    known.set(componentId, [])
    const scopes = componentId === root ? [[]] : []
    const all = graph.owners(componentId).flatMap((owner) => {
      const definition = graph.definitions.get(owner)
      const repeated = definition?.templates.includes(componentId) === true
      return repeated ? entriesOf(owner, componentId) : scopesOf(owner)
    })
    const result = [
      ...new Map([...scopes, ...all].map((one) => [formatPointer(one), one])).values(),
    ]
    known.set(componentId, result)
    return result
  }
  for (const componentId of graph.templating) {
    for (const { binding } of templatesOf(componentId)) {
      const scopes = binding.absolute ? [[]] : scopesOf(componentId)
      for (const scope of scopes) {
        const location = pathLocation(binding, scope)
        const value = valueAt(data.root, location)
        if (!(value instanceof Map) || value.size === 0) continue
        const message = `A template iterates an array; ${formatPointer(location)} is an object.`
        const about = { surfaceId, componentId, path: formatPointer(location) }
        return { code: 'not_iterable', severity: 'error', message, ...about }
      }
    }
  }
  return null
}
