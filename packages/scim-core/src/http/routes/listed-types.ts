import type { ScimConfig } from '../../options/options.ts'
import type { ResourceTypeName } from '../../schema/registry.ts'

/** The types covered by a query over all of them, in order. */
export function listedTypes({ types }: ScimConfig): ResourceTypeName[] {
  const own = [...types.values()].filter(({ operations }) => operations.has('list'))
  return ['User', 'Group', ...own.map(({ type }) => type.name)]
}
