import { isObject } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import { declaredSecrets } from './declared-secrets.ts'

/**
 * A stored graph with empty password fields, including those of grouped nodes (DR-60). A field that its
 * component declares as a secret needs no mark.
 */
export function withoutPasswords(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): string | null {
  if (data === null) return null
  const graph: unknown = JSON.parse(data)
  const declared = declaredSecrets(graph, components)
  if (declared.size === 0 && !data.includes('"password"')) return data
  const emptied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(emptied)
    if (!isObject(value)) return value
    const isMarked = value['password'] === true || declared.has(value)
    const isPassword = isMarked && Object.hasOwn(value, 'value')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        isPassword && key === 'value' ? [key, ''] : [key, emptied(inner)],
      ),
    )
  }
  return JSON.stringify(emptied(graph))
}
