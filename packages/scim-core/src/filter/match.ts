import type { ScimDocument } from '../base/document.ts'
import type { ResourceSchema } from '../schema/registry.ts'
import type { FilterAst } from './ast.ts'
import { compileFilter } from './compile.ts'
import { resolveFilter } from './resolve.ts'

/**
 * Returns whether a resource in canonical spelling matches a filter. This is the reference semantics of
 * section 8, which every translation to a query language must reproduce.
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
