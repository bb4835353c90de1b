import type { VectorRow } from '@x/flow-engine'
import { invalidRequest, limitExceeded } from '@x/flow-engine/internal'
import type { CollectionRow, CollectionRows } from '../../store/collections.ts'

/** Limits of one row of a collection. */
const MAX_NUMBERS = 16_384
const MAX_CHARACTERS = 1024 * 1024

/**
 * Converts rows to their stored form and computes by how much they grow the collection.
 * @throws FlowError for vectors of different lengths or none, and for rows that are too large
 */
export function collectionRows(given: readonly VectorRow[]): CollectionRows {
  const dimension = given[0]?.vector.length ?? 0
  const size = { words: 0, characters: 0, bytes: 0 }
  const rows = given.map((row): CollectionRow => {
    const metadata = JSON.stringify(row.metadata)
    check(row, metadata, dimension)
    size.words += row.text.split(/\s+/).filter((word) => word !== '').length
    size.characters += row.text.length
    size.bytes += new TextEncoder().encode(row.text).length + dimension * 4
    return { id: row.id, text: row.text, metadata, vector: Float32Array.from(row.vector) }
  })
  return { rows, dimension, ...size }
}

function check({ vector, text }: VectorRow, metadata: string, dimension: number): void {
  if (vector.length === 0) throw invalidRequest('The embedding model gave an empty vector')
  if (vector.length !== dimension) {
    throw invalidRequest('The embedding model gave vectors of different lengths')
  }
  if (vector.some((number) => !Number.isFinite(number))) {
    throw invalidRequest('The embedding model returned a vector with a value that is not a number')
  }
  if (dimension > MAX_NUMBERS) {
    throw limitExceeded('vector', `vectors have at most ${MAX_NUMBERS} numbers`)
  }
  if (text.length > MAX_CHARACTERS || metadata.length > MAX_CHARACTERS) {
    throw limitExceeded('row', `a row holds at most ${MAX_CHARACTERS} characters of text`)
  }
}
