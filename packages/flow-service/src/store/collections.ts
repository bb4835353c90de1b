/** The kind of a collection. Names are unique per kind and user. */
export type CollectionKind = 'knowledge' | 'vectors'

/** A named list of texts with vectors: a knowledge base, or a Chroma or FAISS collection. */
export interface CollectionRecord {
  readonly id: string
  readonly userId: string
  readonly kind: CollectionKind
  readonly name: string
  /** Provider of the embedding model of a knowledge base. */
  readonly provider: string | null
  readonly model: string | null
  /** Encrypted. */
  readonly apiKey: string | null
  readonly createdAt: Date
}

/** The size of a collection. */
export interface CollectionSize {
  readonly rows: number
  /** Words and characters of the texts. */
  readonly words: number
  readonly characters: number
  /** Bytes of the texts in UTF-8 and of the vectors. */
  readonly bytes: number
  /** Length of each vector; 0 without rows. */
  readonly dimension: number
}

/** One text of a collection. */
export interface CollectionRow {
  readonly id: string
  readonly text: string
  /** A JSON object. */
  readonly metadata: string
  readonly vector: Float32Array
}

/** Rows, and by how much they grow their collection. */
export interface CollectionRows {
  readonly rows: readonly CollectionRow[]
  readonly words: number
  readonly characters: number
  readonly bytes: number
  /** Dimension of every vector among the rows. */
  readonly dimension: number
}

/** Position of a row in its collection; later rows have greater positions. */
export interface Position {
  readonly position: number
}

/** A page of a collection: rows after a position, at most `limit`. */
export interface CollectionPage {
  readonly after: number
  readonly limit: number
}

/** Collections and their rows. Removing a user removes their collections. */
export interface CollectionStore {
  get(
    userId: string,
    kind: CollectionKind,
    name: string,
  ): Promise<(CollectionRecord & CollectionSize) | null>
  /** Ordered by name. */
  list(userId: string, kind: CollectionKind): Promise<(CollectionRecord & CollectionSize)[]>
  /** @throws UniqueConflictError `collection.id`, `collection.name` */
  insert(record: CollectionRecord): Promise<void>
  /** Also removes its rows; false if it did not exist. */
  remove(userId: string, kind: CollectionKind, name: string): Promise<boolean>
  /** Removes all collections of a user. */
  removeOfUser(userId: string): Promise<void>
  /**
   * Adds all rows or none. `full`: the collection would exceed `limit`; `dimension`: its vectors have another
   * length; `gone`: it does not exist; `changed`: it does not contain exactly `expected` rows.
   */
  add(
    id: string,
    added: CollectionRows,
    limit: number,
    expected?: number,
  ): Promise<'added' | 'full' | 'dimension' | 'gone' | 'changed'>
  /** Texts in insertion order. */
  texts(id: string, page: CollectionPage): Promise<(Omit<CollectionRow, 'vector'> & Position)[]>
  /** Vectors in insertion order, with metadata if requested. */
  vectors(
    id: string,
    page: CollectionPage & { readonly metadata: boolean },
  ): Promise<(Pick<CollectionRow, 'vector'> & Position & { readonly metadata: string | null })[]>
  /** Rows at these positions, in any order. */
  rows(id: string, positions: readonly number[]): Promise<(CollectionRow & Position)[]>
  /**
   * Positions of the `count` rows nearest to a vector by Euclidean distance, nearest first, ties in insertion
   * order. Null if the store cannot search this collection; without this method it never can. All vectors are
   * then read.
   */
  nearest?(
    id: string,
    wanted: { readonly vector: Float32Array; readonly count: number },
  ): Promise<readonly number[] | null>
}
