import { z } from 'zod'
import type { KnowledgeBaseInfo } from '../services/collections/knowledge-bases.ts'
import { text } from './scalars.ts'

/** A knowledge base as listed in the editor. */
export const KnowledgeBaseRead = z
  .object({
    id: text(),
    name: text(),
    embedding_provider: text().nullable(),
    embedding_model: text().nullable(),
    size: z.number(),
    words: z.number(),
    characters: z.number(),
    chunks: z.number(),
    avg_chunk_size: z.number(),
  })
  .meta({ id: 'KnowledgeBaseInfo' })

/** Names of knowledge bases to delete. */
export const KnowledgeBasesDelete = z
  .object({ kb_names: z.array(text()).max(1000) })
  .meta({ id: 'BulkDeleteRequest' })

/** A base is addressed by its name, which is also its `id`; `name` is a readable title. */
export function knowledgeBaseToWire(base: KnowledgeBaseInfo): z.output<typeof KnowledgeBaseRead> {
  const { rows, words, characters, bytes } = base
  return {
    id: base.name,
    name: titled(base.name),
    embedding_provider: base.provider ?? 'Unknown',
    embedding_model: base.model ?? 'Unknown',
    size: bytes,
    words,
    characters,
    chunks: rows,
    avg_chunk_size: rows === 0 ? 0 : characters / rows,
  }
}

/** `my_notes-2` becomes `My Notes 2`. */
function titled(name: string): string {
  return name
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
    .replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1))
}
