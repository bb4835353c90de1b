/** The purpose of a collection. Names are unique among the collections of one kind and user. */
export type CollectionKind = 'knowledge' | 'vectors'

/** A named list of texts with their vectors: a knowledge base, or a collection of Chroma or FAISS. */
export interface CollectionRecord {
  readonly id: string
  readonly userId: string
  readonly kind: CollectionKind
  readonly name: string
  /** Provider of the embedding model of a knowledge base. */
  readonly provider: string | null
  readonly model: string | null
  /** Sealed. */
  readonly apiKey: string | null
  readonly createdAt: Date
}

/** The size of a collection. */
export interface CollectionSize {
  readonly rows: number
  /** Words and characters of the texts. */
  readonly words: number
  readonly characters: number
  /** Bytes of the texts in UTF-8, and of the vectors. */
  readonly bytes: number
  /** Numbers of each vector; 0 while there is none. */
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

/** Rows and how they change the size of their collection. */
export interface CollectionRows {
  readonly rows: readonly CollectionRow[]
  readonly words: number
  readonly characters: number
  readonly bytes: number
  /** Dimension of every vector among the rows. */
  readonly dimension: number
}

/** A row's place in its collection: greater ones were added later. */
export interface Placed {
  readonly position: number
}

/** A part of a collection: rows behind a position, at most `limit`. */
export interface CollectionPage {
  readonly after: number
  readonly limit: number
}

/** Collections and their rows. Removing a user removes theirs. */
export interface CollectionStore {
  get(
    userId: string,
    kind: CollectionKind,
    name: string,
  ): Promise<(CollectionRecord & CollectionSize) | null>
  /** In the order of their names. */
  list(userId: string, kind: CollectionKind): Promise<(CollectionRecord & CollectionSize)[]>
  /** @throws UniqueConflictError `collection.id`, `collection.name` */
  insert(record: CollectionRecord): Promise<void>
  /** With its rows; false when there was none. */
  remove(userId: string, kind: CollectionKind, name: string): Promise<boolean>
  /** Removes what a user has here. */
  removeOfUser(userId: string): Promise<void>
  /**
   * Adds rows, all or none. `full`: the collection would hold more than `limit`; `dimension`: it holds
   * vectors of another length; `gone`: it does not exist; `changed`: it does not hold exactly `expected`
   * rows.
   */
  add(
    id: string,
    added: CollectionRows,
    limit: number,
    expected?: number,
  ): Promise<'added' | 'full' | 'dimension' | 'gone' | 'changed'>
  /** Texts in the order they were added. */
  texts(id: string, page: CollectionPage): Promise<(Omit<CollectionRow, 'vector'> & Placed)[]>
  /** Vectors in the order they were added, with metadata where it is asked for. */
  vectors(
    id: string,
    page: CollectionPage & { readonly metadata: boolean },
  ): Promise<(Pick<CollectionRow, 'vector'> & Placed & { readonly metadata: string | null })[]>
  /** Rows at these positions, in any order. */
  rows(id: string, positions: readonly number[]): Promise<(CollectionRow & Placed)[]>
  /**
   * Positions of the `count` rows nearest to a vector by Euclidean distance, nearest first; equal ones
   * in the order they were added. Null where the store does not search by itself, which a store
   * without this method never does: then every vector is read.
   */
  nearest?(
    id: string,
    wanted: { readonly vector: Float32Array; readonly count: number },
  ): Promise<readonly number[] | null>
}
