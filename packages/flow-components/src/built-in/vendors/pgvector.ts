import { type ComponentContext, errorText } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import type { SqlConnection } from '@x/flow-engine'
import { defineVectorStore, type RemoteCollection } from '../vectors/define-vector-store.ts'
import { documentId } from '../vectors/document-id.ts'
import { textIn } from './vendor-request.ts'

/** A collection in a PostgreSQL database with the vector extension. */
export const pgvector = defineVectorStore({
  type: 'pgvector',
  displayName: 'PGVector',
  description: 'Stores texts in a PostgreSQL database and searches them by meaning.',
  icon: 'cpu',
  category: 'pgvector',
  module: 'lfx.components.pgvector.pgvector.PGVectorStoreComponent',
  inputs: {
    pg_server_url: field.secret({
      displayName: 'PostgreSQL Server Connection String',
      info: 'postgresql://user:password@host:5432/database',
      required: true,
    }),
    collection_name: field.string({ displayName: 'Table', required: true }),
  },
  open: ({ pg_server_url, collection_name }, ctx) =>
    openCollection(pg_server_url, collection_name.trim(), ctx),
})

const TABLES = [
  'CREATE EXTENSION IF NOT EXISTS vector',
  `CREATE TABLE IF NOT EXISTS langchain_pg_collection (
    uuid uuid PRIMARY KEY, name varchar NOT NULL UNIQUE, cmetadata json)`,
  `CREATE TABLE IF NOT EXISTS langchain_pg_embedding (
    id varchar PRIMARY KEY,
    collection_id uuid REFERENCES langchain_pg_collection (uuid) ON DELETE CASCADE,
    embedding vector, document varchar, cmetadata jsonb)`,
]
const ADD_COLLECTION = `INSERT INTO langchain_pg_collection (uuid, name)
  SELECT $1::uuid, $2::varchar
  WHERE NOT EXISTS (SELECT 1 FROM langchain_pg_collection WHERE name = $2::varchar)`
const ADD_ROWS = `INSERT INTO langchain_pg_embedding (id, collection_id, embedding, document, cmetadata)
  SELECT row.id, (SELECT uuid FROM langchain_pg_collection WHERE name = $1::varchar LIMIT 1),
    row.embedding::vector, row.document, row.cmetadata
  FROM jsonb_to_recordset($2::jsonb)
    AS row (id varchar, embedding text, document varchar, cmetadata jsonb)
  ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding`
const SEARCH = `SELECT document, cmetadata FROM langchain_pg_embedding
  WHERE collection_id = (SELECT uuid FROM langchain_pg_collection WHERE name = $1::varchar LIMIT 1)
  ORDER BY embedding <=> $2::vector LIMIT $3::int`

/** @throws TypeError for a blank name, and for the URL of another database */
function openCollection(url: string, name: string, ctx: ComponentContext): RemoteCollection {
  if (name === '') throw new TypeError('Enter the name of the collection in the field Table.')
  if (!/^postgres(?:ql)?(?:\+\w+)?:\/\//i.test(url.trim())) {
    throw new TypeError(
      'PGVector needs the URL of a PostgreSQL database: postgresql://user:password@host/database',
    )
  }
  let prepared = false
  return {
    add: (documents) =>
      connected(url, ctx, async (query) => {
        if (!prepared) {
          for (const statement of TABLES) await query(statement)
          await query(ADD_COLLECTION, [ctx.runtime.uuid(), name])
        }
        prepared = true
        const rows = documents.map(({ text, metadata, vector }) => ({
          // One table contains all collections, and the same text may be in several.
          id: documentId({ text, metadata: { collection: name, metadata } }),
          embedding: JSON.stringify(vector),
          document: text,
          cmetadata: metadata,
        }))
        await query(ADD_ROWS, [name, JSON.stringify(rows)])
      }),
    search: ({ vector, limit }) =>
      connected(url, ctx, async (query) => {
        const rows = await query(SEARCH, [name, JSON.stringify(vector), limit])
        return rows.map(({ document, cmetadata }) => ({
          text: textIn(document),
          metadata: typeof cmetadata === 'string' ? JSON.parse(cmetadata) : cmetadata,
        }))
      }),
  }
}

type Rows = Awaited<ReturnType<SqlConnection['query']>>['rows']
type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Rows>

async function connected<T>(
  url: string,
  ctx: ComponentContext,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { sql } = ctx.services
  if (sql === undefined) throw new TypeError('This server has no SQL connections')
  const connection = await sql.connect(url).catch((error: unknown) => {
    throw new TypeError(`PGVector: ${errorText(error)}`, { cause: error })
  })
  try {
    return await work(async (text, parameters = []) => {
      const { rows } = await connection.query(text, { parameters, signal: ctx.signal })
      return rows
    })
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`PGVector: ${errorText(error)}`, { cause: error })
  } finally {
    await connection.close()
  }
}
