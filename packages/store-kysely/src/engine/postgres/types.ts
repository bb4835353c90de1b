import { types } from 'pg'

/**
 * Column parsers passed with each query, so that settings of a host's pool or of `pg` do not affect the
 * stores, and vice versa.
 */
export const columnTypes = { getTypeParser }

const isTrue = (text: string): boolean => text === 't'
const same = (text: string): string => text

/** By type id: bool; int8, int2, int4, float4, float8; text, bpchar and varchar. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, isTrue],
  // bigint columns contain milliseconds, sizes and counts, all below 2^53.
  ...[20, 21, 23, 700, 701].map((oid) => [oid, Number] as const),
  ...[25, 1042, 1043].map((oid) => [oid, same] as const),
])

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  const own = PARSERS.get(oid)
  if (own !== undefined && format !== 'binary') return own
  const parse = types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown
  return oid === 20 ? (value) => Number(parse(value)) : parse
}
