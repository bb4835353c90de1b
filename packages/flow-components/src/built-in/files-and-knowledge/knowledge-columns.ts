import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { toPlain } from '@x/flow-engine/internal'
import { cellOf, type Row } from '@x/flow-engine/internal'
import type { DataFrame } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import type { Document } from '../vectors/ingest.ts'

/** Metadata key of a row's identity. */
export const ROW_ID = '_id'

/** Columns of the table in which users assign a role to each column. */
export const columnConfigColumns = [
  { name: 'column_name', display_name: 'Column Name', type: 'str', edit_mode: 'inline' },
  {
    name: 'vectorize',
    display_name: 'Vectorize',
    type: 'boolean',
    default: false,
    edit_mode: 'inline',
  },
  {
    name: 'identifier',
    display_name: 'Identifier',
    type: 'boolean',
    default: false,
    edit_mode: 'inline',
  },
]

/** The role of a column of the ingested table. */
export interface KnowledgeColumn {
  readonly name: string
  /** True if its text is searched. */
  readonly vectorize: boolean
  /** True if rows with equal values in the identifier columns are the same row. */
  readonly identifier: boolean
}

/**
 * Reads the rows of the column configuration; flags may be booleans or strings.
 * @throws TypeError if there are no rows, or a row names an unknown column
 */
export function readColumns(rows: readonly Row[], frame: DataFrame): KnowledgeColumn[] {
  if (rows.length === 0) throw new TypeError('Column configuration cannot be empty')
  const known = new Set(frame.columns)
  return rows.map((row) => {
    const name = toLiteralText(cellOf(row, 'column_name') ?? '')
    if (!known.has(name)) {
      const names = toLiteralText(frame.columns.toSorted())
      throw new TypeError(`Column '${name}' not found in DataFrame. Available columns: ${names}`)
    }
    return { name, vectorize: flag(row, 'vectorize'), identifier: flag(row, 'identifier') }
  })
}

/**
 * Creates the stored form of a row: the text of the vectorised columns, the other columns as strings, and
 * `_id`, the SHA-256 of the identifier columns that are not vectorised, or else of the text.
 */
export function knowledgeDocument(row: Row, columns: readonly KnowledgeColumn[]): Document {
  const vectorized = columns.filter(({ vectorize }) => vectorize).map(({ name }) => name)
  const identifying = columns
    .filter(({ vectorize, identifier }) => identifier && !vectorize)
    .map(({ name }) => name)
  const text = joined(row, vectorized)
  const identity = identifying.length === 0 ? text : joined(row, identifying)
  const inText = new Set(vectorized)
  const beside = Object.keys(row).filter((name) => !inText.has(name) && cellOf(row, name) !== null)
  return {
    text,
    metadata: {
      [ROW_ID]: bytesToHex(sha256(new TextEncoder().encode(identity))),
      ...Object.fromEntries(beside.map((name) => [name, cellText(row, name)])),
    },
  }
}

/** Creates the column counts and names that an ingestion reports. */
export function describeColumns(columns: readonly KnowledgeColumn[], frame: DataFrame): object {
  const names = (wanted: 'vectorize' | 'identifier'): string[] =>
    columns.filter((column) => column[wanted]).map(({ name }) => name)
  return {
    total_columns: frame.columns.length,
    mapped_columns: columns.length,
    unmapped_columns: frame.columns.length - columns.length,
    columns,
    summary: { vectorized_columns: names('vectorize'), identifier_columns: names('identifier') },
  }
}

function joined(row: Row, names: readonly string[]): string {
  return names
    .filter((name) => cellOf(row, name) !== null)
    .map((name) => cellText(row, name))
    .join(' ')
}

function cellText(row: Row, name: string): string {
  return toLiteralText(toPlain(cellOf(row, name)))
}

function flag(row: Row, name: string): boolean {
  const value = cellOf(row, name)
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}
