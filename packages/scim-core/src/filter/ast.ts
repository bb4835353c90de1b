import type { CompareOperator } from './resolved.ts'

/** An attribute path in the client's spelling. */
export interface PathAst {
  /** The part before the last colon; null if there is none. */
  readonly urn: string | null
  /** Empty if the path can only be a URN. */
  readonly name: string
  readonly sub: string | null
  /** The filter in brackets between name and sub-attribute. */
  readonly where: FilterAst | null
}

/** A parsed filter (RFC 7644 section 3.4.2.2); names are not resolved yet. */
export type FilterAst =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly FilterAst[] }
  | { readonly kind: 'not'; readonly term: FilterAst }
  | { readonly kind: 'present'; readonly path: PathAst }
  | {
      readonly kind: 'compare'
      readonly path: PathAst
      readonly operator: CompareOperator
      readonly value: string | number | boolean | null
    }
  | { readonly kind: 'element'; readonly path: PathAst }
