import { isObject } from '@x/wire'
import { finishCooperatively } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { variedRows } from '../vectors/nearest.ts'
import { astraCommand, type AstraDocument } from './astra-api.ts'
import type { AstraCollection } from './astra-collection.ts'
import { recordsIn, textIn } from './vendor-request.ts'

const MMR_CANDIDATES = 20
const MMR_BALANCE = 0.5

/** A search in a collection. */
export interface AstraQuery {
  readonly text: string
  /** Undefined if the collection embeds the text itself. */
  readonly vector: readonly number[] | undefined
  readonly filter: Readonly<Record<string, unknown>> | undefined
  readonly limit: number
  readonly hybrid: boolean
  readonly lexical: string
  readonly type: string
  readonly threshold: number
}

export async function searchAstra(
  collection: AstraCollection,
  query: AstraQuery,
  ctx: ComponentContext,
): Promise<Data[]> {
  if (query.limit <= 0) return []
  const isMmr = query.type.startsWith('MMR') && query.vector !== undefined
  const isHybrid = query.hybrid && collection.hybrid && query.text !== '' && !isMmr
  const command = isHybrid ? hybrid(collection, query) : plain(query, isMmr)
  const answer = await astraCommand(
    collection.access,
    { collection: collection.name, command },
    ctx,
  )
  const found = recordsIn(isObject(answer.data) ? answer.data.documents : [])
  const selected = await selectDocuments(found, query, isMmr)
  return selected.map((document) => rowOf(document, collection))
}

function plain({ text, vector, filter, limit }: AstraQuery, isMmr: boolean): object {
  const sort = vector === undefined ? { $vectorize: text } : { $vector: vector }
  return {
    find: {
      ...(filter === undefined ? {} : { filter: inMetadata(filter) }),
      ...(text === '' ? {} : { sort }),
      projection: isMmr ? { '*': 1, $vector: 1 } : { '*': 1, $vector: 0 },
      options: {
        limit: isMmr ? Math.max(limit, MMR_CANDIDATES) : limit,
        ...(text === '' ? {} : { includeSimilarity: true }),
      },
    },
  }
}

function hybrid({ textField }: AstraCollection, query: AstraQuery): object {
  const { text, vector, filter, limit, lexical } = query
  const near = vector === undefined ? { $vectorize: text } : { $vector: vector }
  return {
    findAndRerank: {
      ...(filter === undefined ? {} : { filter: inMetadata(filter) }),
      sort: { $hybrid: { ...near, $lexical: lexical === '' ? text : lexical } },
      options: {
        limit,
        hybridLimits: Math.min(100, 4 * limit),
        rerankQuery: text,
        ...(vector === undefined ? {} : { rerankOn: textField }),
      },
    },
  }
}

/** Keys refer to metadata unless they are qualified. */
function inMetadata(filter: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [
      key.startsWith('$') || key.startsWith('metadata.') || key === '_id' ? key : `metadata.${key}`,
      value,
    ]),
  )
}

async function selectDocuments(
  found: readonly AstraDocument[],
  { type, threshold, limit, vector }: AstraQuery,
  isMmr: boolean,
): Promise<readonly AstraDocument[]> {
  if (type === 'Similarity with score threshold') {
    return found.filter(({ $similarity: score }) => typeof score !== 'number' || score >= threshold)
  }
  if (!isMmr || vector === undefined) return found
  const rows = found.map((document, at) => ({
    id: String(at),
    text: '',
    metadata: {},
    vector: vectorOf(document.$vector),
  }))
  const options = { count: limit, among: MMR_CANDIDATES, balance: MMR_BALANCE }
  return (await finishCooperatively(variedRows(rows, vector, options))).flatMap(({ id }) => {
    const document = found[Number(id)]
    return document === undefined ? [] : [document]
  })
}

function vectorOf(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : []
}

function rowOf(document: AstraDocument, { textField, vectorizes }: AstraCollection): Data {
  const text = vectorizes ? textIn(document.$vectorize) : textIn(document[textField])
  const metadata = isObject(document.metadata) ? document.metadata : {}
  return createData({ text: text === '' ? textIn(document[textField]) : text, ...metadata })
}
