/** Like `Page` of the engine, with items that are read in parts. */
export interface PageParts<T> {
  readonly items: Iterable<readonly T[]> | AsyncIterable<readonly T[]>
  readonly total: number
}
