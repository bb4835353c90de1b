import { isObject } from '@x/wire'
import { createWorkBudget, type CooperativeWork } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { changeGraph } from './change-graph.ts'
import { declaredSecrets } from './declared-secrets.ts'

/** Values checked per turn of the event loop. */
const STEP = 20_000

/**
 * A stored graph with empty password fields, including those of grouped nodes. A field that its
 * component declares as a secret needs no mark.
 */
export function withoutPasswords(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): Promise<string | null> {
  return changeGraph(data, function* (graph) {
    const declared = declaredSecrets(graph, components)
    if (declared.size === 0 && data?.includes('"password"') !== true) return undefined
    yield
    yield* empty(graph, declared, createWorkBudget(STEP))
    return graph
  })
}

/** Changes objects in place: they were just parsed. */
function* empty(
  value: unknown,
  declared: ReadonlySet<object>,
  step: (units: number) => boolean,
): CooperativeWork<void> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) {
      if (step(1)) yield
      if (typeof item === 'object' && item !== null) yield* empty(item, declared, step)
    }
    return
  }
  if (!isObject(value)) return
  const isMarked = value['password'] === true || declared.has(value)
  for (const key of Object.keys(value)) {
    if (step(1)) yield
    const inner = value[key]
    if (isMarked && key === 'value') value[key] = ''
    else if (typeof inner === 'object' && inner !== null) yield* empty(inner, declared, step)
  }
}
