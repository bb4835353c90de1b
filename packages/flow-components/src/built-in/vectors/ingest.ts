import { OutputMethodError } from '@x/flow-engine/internal'
import { dataText, toPlain } from '@x/flow-engine/internal'
import { createData, isData, type Data } from '@x/flow-engine'
import { isDataFrame } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import { messageToFields } from '@x/flow-engine/internal'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import type { VectorRow } from '@x/flow-engine'

/** Text to embed, with its metadata. */
export interface Document {
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Converts Data and table rows to documents: the value of the text key becomes the text, the rest metadata.
 * @throws TypeError for anything else
 */
export function readDocuments(values: readonly unknown[]): Document[] {
  return values.flat().flatMap((value) => {
    if (isDataFrame(value)) return value.rows.map((row) => documentOf(createData(row)))
    if (isMessage(value)) return [documentOf(createData(messageToFields(value)))]
    if (!isData(value)) throw new OutputMethodError('Vector Store Inputs must be Data objects.')
    return [documentOf(value)]
  })
}

/**
 * Embeds documents and returns them as rows.
 * @throws TypeError if there are documents but no embedding model
 */
export async function embedDocuments(
  documents: readonly Document[],
  embedder: Embedder | null,
  ctx: Pick<ComponentContext, 'runtime' | 'signal'>,
): Promise<VectorRow[]> {
  if (documents.length === 0) return []
  const vectors = await required(embedder).embed(
    documents.map(({ text }) => text),
    ctx.signal,
  )
  return documents.map(({ text, metadata }, at) => ({
    id: ctx.runtime.uuid(),
    text,
    metadata,
    vector: vectors[at] ?? [],
  }))
}

/**
 * Embeds a single string.
 * @throws TypeError without an embedding model
 */
export async function embedText(
  text: string,
  embedder: Embedder | null,
  signal: AbortSignal,
): Promise<number[]> {
  const model = required(embedder)
  if (model.embedQuery !== undefined) return model.embedQuery(text, signal)
  const [vector = []] = await model.embed([text], signal)
  return vector
}

/** Converts a stored row to an edge value: its metadata and its text. */
export function rowData({ text, metadata }: VectorRow): Data {
  return createData({ ...metadata, text })
}

function required(embedder: Embedder | null): Embedder {
  if (embedder === null) throw new TypeError('An embedding model must be connected')
  return embedder
}

function documentOf(data: Data): Document {
  const { [data.textKey]: _text, ...metadata } = data.data
  const plain = Object.entries(metadata).map(([key, value]) => [key, toPlain(value)])
  return { text: dataText(data), metadata: Object.fromEntries(plain) }
}
