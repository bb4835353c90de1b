import type { ScimDocument } from '../base/document.ts'
import type { ResourceSchema } from '../schema/registry.ts'
import type { FilterAst } from './ast.ts'
import { compileFilter } from './compile.ts'
import { resolveFilter } from './resolve.ts'

/**
 * Returns whether a resource, in canonical spelling, satisfies a filter: the definition of section 8,
 * which every translation to a query language must agree with.
 * @throws InvalidFilterError
 */
export function matchFilter(
  ast: FilterAst,
  resource: ScimDocument,
  schema: ResourceSchema,
): boolean {
  const filter = resolveFilter(ast, schema)
  return typeof filter === 'boolean' ? filter : compileFilter(filter)(resource)
}
