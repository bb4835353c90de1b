import type { FilterAst, PathAst } from './ast.ts'

/** Formats a filter; `parseFilter` of the result yields an equal tree. */
export function formatFilter(ast: FilterAst): string {
  switch (ast.kind) {
    case 'or':
    case 'and':
      return ast.terms.map((term) => formatTerm(term, ast.kind)).join(` ${ast.kind} `)
    case 'not':
      return `not (${formatFilter(ast.term)})`
    case 'present':
      return `${formatPath(ast.path)} pr`
    case 'compare':
      return `${formatPath(ast.path)} ${ast.operator} ${JSON.stringify(ast.value)}`
    case 'element':
      return formatPath(ast.path)
  }
}

/** Formats an attribute path. */
export function formatPath(path: PathAst): string {
  return joinPath(path, path.where === null ? '' : `[${formatFilter(path.where)}]`)
}

/** Formats an attribute path for error details, without filter literals. */
export function describePath(path: PathAst): string {
  return joinPath(path, path.where === null ? '' : '[...]')
}

function joinPath({ urn, name, sub }: PathAst, filter: string): string {
  const base = urn === null ? name : name === '' ? urn : `${urn}:${name}`
  return `${base}${filter}${sub === null ? '' : `.${sub}`}`
}

function formatTerm(term: FilterAst, parent: 'and' | 'or'): string {
  const bare = term.kind !== parent && !(parent === 'and' && term.kind === 'or')
  return bare ? formatFilter(term) : `(${formatFilter(term)})`
}
