/**
 * The rows of a store in parts, or as one part if the store cannot read parts.
 * @param parts undefined if the store cannot read parts
 * @param whole reads all rows at once
 */
export async function* inParts<Row>(
  parts: AsyncIterable<readonly Row[]> | undefined,
  whole: () => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  if (parts === undefined) yield await whole()
  else yield* parts
}
