import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '@x/wire'
import type { Embedder } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { inParallel } from '../../web/in-parallel.ts'
import type { Document } from '../vectors/ingest.ts'
import { astraCommand, AstraError, type AstraDocument } from './astra-api.ts'
import type { AstraCollection } from './astra-collection.ts'

const BATCH = 100
const PARALLEL = 20
const MAX_DELETES = 10_000

/** Adds documents to a collection, replacing existing copies. */
export async function ingestDocuments(
  collection: AstraCollection,
  documents: readonly Document[],
  { embedder, deletionField }: { embedder: Embedder | null; deletionField: string },
  ctx: ComponentContext,
): Promise<void> {
  if (documents.length === 0) return
  if (deletionField !== '') await removeOld(collection, documents, deletionField, ctx)
  const rows = uniqueRows(documents)
  const batches: AstraDocument[][] = []
  for (let at = 0; at < rows.length; at += BATCH) {
    const part = rows.slice(at, at + BATCH)
    batches.push(await astraDocuments(collection, part, embedder, ctx))
  }
  const limit = collection.vectorizes ? PARALLEL : 1
  await inParallel(batches, { limit, signal: ctx.signal }, (batch) =>
    insert(collection, batch, ctx),
  )
}

interface IdentifiedDocument extends Document {
  readonly id: string
}

/** Equal documents have the same id, so ingesting them again adds nothing. */
function uniqueRows(documents: readonly Document[]): IdentifiedDocument[] {
  const rows = new Map<string, IdentifiedDocument>()
  for (const document of documents) {
    const identity = JSON.stringify([document.text, document.metadata])
    const id = bytesToHex(sha256(new TextEncoder().encode(identity)))
    rows.set(id, { ...document, id })
  }
  return [...rows.values()]
}

async function astraDocuments(
  { vectorizes, textField }: AstraCollection,
  rows: readonly IdentifiedDocument[],
  embedder: Embedder | null,
  ctx: ComponentContext,
): Promise<AstraDocument[]> {
  if (vectorizes) {
    return rows.map(({ id, text, metadata }) => ({ _id: id, $vectorize: text, metadata }))
  }
  const texts = rows.map(({ text }) => text)
  const vectors = (await embedder?.embed(texts, ctx.signal)) ?? []
  return rows.map(({ id, text, metadata }, at) => ({
    _id: id,
    [textField]: text,
    metadata,
    $vector: vectors[at] ?? [],
  }))
}

async function insert(
  { access, name }: AstraCollection,
  documents: readonly AstraDocument[],
  ctx: ComponentContext,
): Promise<void> {
  const command = { insertMany: { documents, options: { ordered: false } } }
  try {
    await astraCommand(access, { collection: name, command }, ctx)
  } catch (error) {
    const isKnown =
      error instanceof AstraError && error.codes.every((code) => code === 'DOCUMENT_ALREADY_EXISTS')
    if (!isKnown) throw error
    for (const replacement of documents) {
      const { _id: id } = replacement
      const replace = {
        findOneAndReplace: { filter: { _id: id }, replacement, options: { upsert: true } },
      }
      await astraCommand(access, { collection: name, command: replace }, ctx)
    }
  }
}

async function removeOld(
  { access, name }: AstraCollection,
  documents: readonly Document[],
  field: string,
  ctx: ComponentContext,
): Promise<void> {
  const values = [...new Set(documents.map(({ metadata }) => metadata[field]))].filter(
    (value) => value !== undefined,
  )
  if (values.length === 0) return
  const filter = { [`metadata.${field}`]: { $in: values } }
  const command = { deleteMany: { filter } }
  for (let round = 0; round < MAX_DELETES; round += 1) {
    const { status } = await astraCommand(access, { collection: name, command }, ctx)
    if (!isObject(status) || status.moreData !== true) return
  }
}
