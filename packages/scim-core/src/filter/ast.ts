import type { CompareOperator } from './resolved.ts'

/** An attribute path as it was written, with the spelling of the client. */
export interface PathAst {
  /** Text before the last colon; null when there is none. */
  readonly urn: string | null
  /** Empty when the path can only be a URN. */
  readonly name: string
  readonly sub: string | null
  /** The filter in brackets between name and sub-attribute. */
  readonly where: FilterAst | null
}

/** A filter as it was written (RFC 7644 section 3.4.2.2), names not looked up yet. */
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
