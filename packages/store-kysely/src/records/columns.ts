/** The stored form of a record's value. */
export interface Codec<Value, Column> {
  encode(value: Value): Column
  decode(column: Column): Value
}

/**
 * A string. PostgreSQL does not support U+0000, so on both databases it is written as U+0001 U+0001, and
 * U+0001 as U+0001 U+0002; order, equality and prefixes are preserved.
 */
export const text: Codec<string, string> = { encode: encodeText, decode: decodeText }

const NUL = '\0'
const ESCAPE = '\u0001'

export function encodeText(value: string): string {
  return value.includes(NUL) || value.includes(ESCAPE)
    ? value.replaceAll(ESCAPE, '\u0001\u0002').replaceAll(NUL, '\u0001\u0001')
    : value
}

export function decodeText(column: string): string {
  if (!column.includes(ESCAPE)) return column
  const [first = '', ...escaped] = column.split(ESCAPE)
  let decoded = first
  for (let i = 0; i < escaped.length; i += 1) {
    const part = escaped[i] ?? ''
    // An empty part separates the two markers of an escaped U+0000.
    if (part === '' && i + 1 < escaped.length) {
      i += 1
      decoded += NUL + (escaped[i] ?? '')
    } else decoded += ESCAPE + part.slice(1)
  }
  return decoded
}

/** A string that never contains U+0000: an id, a hash, or a keyword. */
export function plain<Value extends string>(): Codec<Value, string> {
  return { encode: (value) => value, decode: (column) => column as Value }
}

/** Milliseconds since 1970. */
export const date: Codec<Date, number> = {
  encode: (value) => value.getTime(),
  decode: (column) => new Date(column),
}

export const number: Codec<number, number> = {
  encode: (value) => value,
  decode: (column) => column,
}

/** 0 or 1. */
export const bool: Codec<boolean, number> = {
  encode: (value) => (value ? 1 : 0),
  decode: (column) => column !== 0,
}

/** A JSON value as text; typed as what the core stored. U+0000 is escaped in JSON. */
export function json<Value>(): Codec<Value, string> {
  return {
    encode: (value) => JSON.stringify(value),
    decode: (column) => JSON.parse(column) as Value,
  }
}

/** null stays null. */
export function nullable<Value, Column>(
  codec: Codec<Value, Column>,
): Codec<Value | null, Column | null> {
  return {
    encode: (value) => (value === null ? null : codec.encode(value)),
    decode: (column) => (column === null ? null : codec.decode(column)),
  }
}

/** The fields of a record and their stored form; column names are the fields in snake case. */
export interface Mapping<Value, Row> {
  toRow(record: Value): Row
  /** The stored values of all fields, in the order of `columns`. */
  toValues(record: Value): unknown[]
  /** Only the columns of the given fields. */
  toPatch(patch: Partial<Value>): Partial<Row>
  readonly columns: readonly string[]
  columnOf(field: keyof Value & string): string
  /** The value of one field. */
  decode<Key extends keyof Value & string>(field: Key, column: unknown): Value[Key]
  /** Columns without a field are ignored. */
  fromRow(row: Row): Value
}

/** The mapping of a record whose columns are named after its fields (`createdAt`: `created_at`). */
export function mapping<Value, Row>(fields: {
  readonly [Key in keyof Value]-?: Codec<Value[Key], never> | Codec<Value[Key], unknown>
}): Mapping<Value, Row> {
  const entries = Object.entries<Codec<unknown, unknown>>(
    fields as Record<string, Codec<unknown, unknown>>,
  ).map(([field, codec]) => ({ field, column: snakeCase(field), codec }))

  const encode = (record: object): Record<string, unknown> => {
    const row: Record<string, unknown> = {}
    for (const { field, column, codec } of entries) {
      const value: unknown = Reflect.get(record, field)
      if (value !== undefined) row[column] = codec.encode(value)
    }
    return row
  }

  const codecs = new Map(entries.map(({ field, codec }) => [field, codec]))

  return {
    columns: entries.map(({ column }) => column),
    columnOf: snakeCase,
    decode: <Key extends keyof Value & string>(field: Key, column: unknown) =>
      codecs.get(field)?.decode(column) as Value[Key],
    toRow: (record) => encode(record as object) as Row,
    toValues: (record) =>
      entries.map(({ field, codec }) => {
        const value = (record as Record<string, unknown>)[field]
        return value === undefined ? null : codec.encode(value)
      }),
    toPatch: (patch) => encode(patch) as Partial<Row>,
    fromRow(row) {
      const record: Record<string, unknown> = {}
      for (const { field, column, codec } of entries) {
        record[field] = codec.decode(Reflect.get(row as object, column))
      }
      return record as Value
    },
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
