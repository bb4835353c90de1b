import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, type JsonValue } from '../json.ts'
import { resolveUrls, unsafeOf, urlsOf, type UrlOptions } from '../message/unsafe-urls.ts'
import { evaluateIn } from './evaluate-in.ts'
import { stateOfStore, treeOf, type AnySurfaceStore } from './store.ts'
import type { TreeNode } from '../tree/instance.ts'

/**
 * The URLs of the present tree whose scheme is not allowed, those of data and of calls included. Paths are those of the
 * component's properties.
 * @throws SurfaceError `limit_exceeded` if the tree is too large; TypeError for invalid options
 */
export function checkUrls(
  store: AnySurfaceStore,
  surfaceId: string,
  options: UrlOptions = {},
): SurfaceDiagnostic[] {
  const rule = resolveUrls(options)
  const state = stateOfStore(store)
  const nodes = new Set<unknown>()
  if (rule === null || treeOf(state, surfaceId, nodes) === null) return []
  const textOf = (nodeId: string, value: JsonValue): string | null => {
    try {
      const found = evaluateIn(state, surfaceId, { value, nodeId })
      return typeof found === 'string' ? found : null
    } catch {
      // What cannot be computed opens nothing.
      return null
    }
  }
  const found = Array.from(nodes as ReadonlySet<TreeNode>, (node) => {
    const component = { ...node.properties, id: node.componentId, component: node.type ?? '' }
    return urlsOf(component, [], {
      textOf: (value) => textOf(node.id, value as JsonValue),
      isOther: (value) => isPlainObject(value) && nodes.has(value),
    })
  })
  return unsafeOf(found.flat(), rule).map((one) => ({ ...one, surfaceId }))
}
