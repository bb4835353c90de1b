import { sql, type RawBuilder } from 'kysely'
import type { CompareOperator } from '@x/scim-core'
import type { DialectKind } from '../engine/engine.ts'
import { afterPrefix } from '../query/prefix.ts'

/** An SQL expression that is true, false, or null (which counts as false). */
export type Condition = RawBuilder<unknown>

/** The operand of a comparison. Booleans are 0 and 1, times milliseconds, strings folded if needed. */
export interface Operand {
  readonly kind: 'text' | 'number'
  readonly sql: RawBuilder<unknown>
  /** The column is the first one of an index on the resource's own table. */
  readonly indexed: boolean
}

/** The SQL of one filter operator. A missing value satisfies only `ne`. */
export function comparison(
  operand: Operand,
  operator: CompareOperator,
  given: { readonly value: string | number | boolean; readonly dialect: DialectKind },
): Condition {
  const { sql: left } = operand
  const value = parameter(given.value)
  switch (operator) {
    case 'eq':
      return sql`${left} = ${value}`
    case 'ne':
      return sql`(${left} is null or ${left} <> ${value})`
    case 'gt':
      return sql`${left} > ${value}`
    case 'ge':
      return sql`${left} >= ${value}`
    case 'lt':
      return sql`${left} < ${value}`
    case 'le':
      return sql`${left} <= ${value}`
    case 'co':
    case 'sw':
    case 'ew':
      return textMatch(left, operator, { ...given, value: String(given.value) })
  }
}

/** PostgreSQL types a parameter next to a bigint as bigint, which a fraction is not. */
function parameter(value: string | number | boolean): RawBuilder<unknown> {
  // As part of the text it matches the condition of an index.
  if (typeof value === 'boolean') return sql.lit(Number(value))
  const fraction = typeof value === 'number' && !Number.isSafeInteger(value)
  return fraction ? sql`cast(${value} as double precision)` : sql`${value}`
}

/** Does not use patterns, so no character of the literal is special. */
function textMatch(
  left: RawBuilder<unknown>,
  operator: 'co' | 'sw' | 'ew',
  { value, dialect }: { readonly value: string; readonly dialect: DialectKind },
): Condition {
  if (value === '') return sql`${left} is not null`
  if (operator === 'co') {
    return dialect === 'sqlite'
      ? sql`instr(${left}, ${value}) > 0`
      : sql`strpos(${left}, ${value}) > 0`
  }
  if (operator === 'ew') {
    const length = Array.from(value).length
    return dialect === 'sqlite'
      ? sql`substr(${left}, ${sql.lit(-length)}) = ${value}`
      : sql`right(${left}, ${sql.lit(length)}) = ${value}`
  }
  const end = afterPrefix(value)
  return end === null ? sql`${left} >= ${value}` : sql`(${left} >= ${value} and ${left} < ${end})`
}

/** The test of `pr` for a single value. */
export function isPresentFilter(operand: Operand): Condition {
  return operand.kind === 'text'
    ? sql`(${operand.sql} is not null and ${operand.sql} <> '')`
    : sql`${operand.sql} is not null`
}

/** The exact complement: null counts as false. */
export function negation(condition: Condition): Condition {
  return sql`not coalesce((${condition}), false)`
}

export const NOTHING: Condition = sql`1 = 0`

export function joinConditions(word: 'and' | 'or', conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return word === 'and' ? sql`1 = 1` : NOTHING
  return sql`(${sql.join(conditions, word === 'and' ? sql` and ` : sql` or `)})`
}
