import type { ComponentContext } from '@x/flow-engine'
import type { MemoryBaseStore, MessageRecord, VectorStore } from '@x/flow-engine'
import { embedDocuments, embedText, type Document } from '../vectors/ingest.ts'
import { documentsIn, nearestIn } from '../vectors/open-store.ts'
import { knowledgeEmbedder } from './knowledge-model.ts'

const CHUNK = 1000
const OVERLAP = 100
const MAX_MESSAGES = 2000

export interface MemoryQuery {
  readonly query: string
  readonly count: number
  /** Undefined for all sessions. */
  readonly sessionId: string | undefined
}

export interface MemoryHit {
  readonly content: string
  readonly score: number
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Embeds new messages of the flow, oldest first and at most 2,000, then returns those nearest to the query.
 * Rows of deleted messages are skipped.
 */
export async function searchMemory(
  base: MemoryBaseStore,
  { query, count, sessionId }: MemoryQuery,
  ctx: ComponentContext,
): Promise<MemoryHit[]> {
  const embedder = await knowledgeEmbedder({ id: '', name: '', ...base }, { apiKey: null }, ctx)
  const messages = await storedMessages(ctx)
  const live = new Set(messages.map(({ id }) => id))
  const known = await knownMessages(base.store)
  const fresh = messages.filter(({ id }) => !known.has(id)).slice(0, MAX_MESSAGES)
  const rows = await embedDocuments(fresh.flatMap(documentsOf), embedder, ctx)
  if (rows.length > 0) await base.store.add(rows)
  const vector = await embedText(query, embedder, ctx.signal)
  const found = await nearestIn(base.store, vector, {
    count,
    signal: ctx.signal,
    accepts: ({ message_id: id, session_id: session }) =>
      live.has(String(id)) && (sessionId === undefined || session === sessionId),
  })
  return found.map(({ row, distance }) => ({
    content: row.text,
    score: -distance,
    metadata: row.metadata,
  }))
}

async function knownMessages(store: VectorStore): Promise<ReadonlySet<unknown>> {
  const known = new Set<unknown>()
  for await (const part of documentsIn(store)) {
    for (const { metadata } of part) known.add(metadata.message_id)
  }
  return known
}

/** Excludes error rows and blank texts. */
async function storedMessages({ services, flowId }: ComponentContext): Promise<MessageRecord[]> {
  const found = await services.messages?.list({ flowId, order: 'ascending' })
  return (found ?? []).filter(({ text, error }) => !error && text.trim() !== '')
}

function documentsOf(message: MessageRecord): Document[] {
  const texts = chunksOf(message.text)
  return texts.map((text, at) => ({
    text,
    metadata: {
      message_id: message.id,
      session_id: message.sessionId,
      flow_id: message.flowId,
      sender: message.sender,
      sender_name: message.senderName,
      timestamp: message.timestamp.toISOString(),
      run_id: null,
      chunk_index: at,
      total_chunks: texts.length,
      source: `memory_base/${message.sessionId}`,
    },
  }))
}

function chunksOf(text: string): string[] {
  if (text.length <= CHUNK) return [text]
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += CHUNK - OVERLAP) {
    chunks.push(text.slice(at, at + CHUNK))
    if (at + CHUNK >= text.length) break
  }
  return chunks
}
