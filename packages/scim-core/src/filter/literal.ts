import { InvalidFilterError } from '../base/errors.ts'
import { fold } from '../base/fold.ts'
import { readBoolean } from '../schema/boolean-word.ts'
import type { AttributeType } from '../schema/attribute.ts'
import { parseInstant } from '../schema/instant.ts'
import type { CompareOperator, FilterLiteral } from './resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'

const EQUALITY: readonly CompareOperator[] = ['eq', 'ne']
const ORDER: readonly CompareOperator[] = [...EQUALITY, 'gt', 'ge', 'lt', 'le']
const TEXT: readonly CompareOperator[] = [...ORDER, 'co', 'sw', 'ew']

/** The operators supported by each type. */
const OPERATORS: Readonly<Record<AttributeType, readonly CompareOperator[]>> = {
  string: TEXT,
  reference: TEXT,
  boolean: EQUALITY,
  integer: ORDER,
  decimal: ORDER,
  dateTime: ORDER,
  binary: EQUALITY,
  complex: [],
}

/**
 * Converts the literal of a comparison to comparable form.
 * @throws InvalidFilterError if the type does not support the operator or the literal
 */
export function comparable(
  comparison: {
    readonly path: AttributePath
    readonly operator: CompareOperator
    readonly value: string | number | boolean
  },
  booleanStrings: boolean,
): FilterLiteral {
  const { path, operator, value } = comparison
  if (!OPERATORS[path.type].includes(operator)) {
    throw new InvalidFilterError(
      `The operator ${operator} cannot be used with ${path.key}, which is ${path.type}.`,
    )
  }
  const literal = toLiteral(path, value, booleanStrings)
  if (literal === undefined) {
    throw new InvalidFilterError(`${path.key} is compared with a value that is not ${path.type}.`)
  }
  return literal
}

function toLiteral(
  { type, caseExact }: AttributePath,
  value: string | number | boolean,
  booleanStrings: boolean,
): FilterLiteral | undefined {
  switch (type) {
    case 'string':
    case 'reference':
      if (typeof value !== 'string') return undefined
      return caseExact ? value : fold(value)
    case 'binary':
      return typeof value === 'string' ? value : undefined
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : undefined
    case 'dateTime':
      return typeof value === 'string' ? instantOf(value) : undefined
    case 'boolean':
      return readBoolean(value, booleanStrings)
    case 'complex':
      return undefined
  }
}

/** A space before the offset is a `+` that the client did not encode. */
function instantOf(text: string): number | undefined {
  return parseInstant(text.replace(/ (?=\d\d:\d\d$)/, '+')) ?? undefined
}
