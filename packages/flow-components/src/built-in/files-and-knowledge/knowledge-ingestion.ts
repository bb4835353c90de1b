import { eventLoopTurn, isObject } from '@x/wire'
import { createWorkBudget } from '@x/wire'
import { toDataFrame, errorText, type ProviderKey, isModelChoice } from '@x/flow-engine'
import { isData } from '@x/flow-engine'
import { createDataFrame, isDataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { isMessage } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { nameOfType } from '@x/flow-engine/internal'
import type { NodeTemplate } from '@x/flow-engine'
import { readPicked } from '@x/flow-engine/internal'
import type { RefreshContext } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { DistinctRows, KnowledgeBase } from '@x/flow-engine'
import { embedDocuments, type Document } from '../vectors/ingest.ts'
import { documentsIn, requireRoom } from '../vectors/open-store.ts'
import { createDialog } from './knowledge-dialog.ts'
import {
  columnConfigColumns,
  describeColumns,
  knowledgeDocument,
  readColumns,
  ROW_ID,
} from './knowledge-columns.ts'
import {
  knowledgeEmbedder,
  knowledgeService,
  offerBases,
  openKnowledgeBase,
  providerOf,
} from './knowledge-model.ts'

/** Adds the rows of a table to a knowledge base. */
export const knowledgeIngestion = defineComponent({
  type: 'KnowledgeIngestion',
  displayName: 'Knowledge Ingestion',
  description: 'Adds the rows of a table to a knowledge base.',
  icon: 'upload',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.ingestion.KnowledgeIngestionComponent',
  idempotent: false,
  inputs: {
    knowledge_base: field.dropdown({
      displayName: 'Knowledge',
      info: 'The knowledge base to fill; new ones can be created here.',
      required: true,
      refresh: true,
      attributes: { refresh_button: true, dialog_inputs: createDialog() },
    }),
    input_df: field.handle({
      displayName: 'Input',
      types: ['Data', 'DataFrame'],
      required: true,
    }),
    column_config: field.table({
      displayName: 'Column Configuration',
      info: 'The role of each column.',
      required: true,
      columns: columnConfigColumns,
      default: [{ column_name: 'text', vectorize: true, identifier: true }],
    }),
    chunk_size: field.int({
      displayName: 'Chunk Size',
      info: 'Number of texts embedded in one request.',
      default: 1000,
      advanced: true,
    }),
    api_key: field.key({ displayName: 'Embedding Provider API Key', advanced: true }),
    allow_duplicates: field.bool({
      displayName: 'Allow Duplicates',
      info: 'Store rows that the knowledge base already contains.',
      default: false,
      advanced: true,
    }),
  },
  outputs: {
    dataframe_output: output.data({
      displayName: 'Results',
      method: 'build_kb_info',
      async run(inputs, ctx) {
        try {
          const { info } = await ingest(inputs, ctx)
          ctx.status(info)
          return info
        } catch (error) {
          ctx.signal.throwIfAborted()
          throw new TypeError(`Error during KB ingestion: ${errorText(error)}`, { cause: error })
        }
      },
    }),
  },
  refresh: refreshKnowledge,
})

/** Handles the editor's dialog for a new base and lists the existing ones. */
export async function refreshKnowledge(
  template: NodeTemplate,
  name: string,
  value: unknown,
  ctx: RefreshContext,
): Promise<void> {
  if (name !== 'knowledge_base') return
  if (isObject(value) && '01_new_kb_name' in value && template.knowledge_base !== undefined) {
    template.knowledge_base.value = await createBase(value, ctx)
  }
  await offerBases(template.knowledge_base, ctx)
}

export interface IngestInputs {
  readonly knowledge_base: string
  readonly input_df: unknown
  readonly column_config: readonly Row[]
  readonly chunk_size: number
  readonly api_key: ProviderKey
  readonly allow_duplicates: boolean
  /** JSON text stored with every row. */
  readonly source_metadata?: string | undefined
}

/** The result of an ingestion, with the number of new rows. */
export interface Ingestion {
  readonly info: Readonly<Record<string, unknown>>
  readonly created: number
  readonly skipped: number
}

/** Units of work for hashing a row: a fixed part, and one more for this many characters. */
const HASH = 1000
const CHARACTERS = 10

/** Adds the rows of a table to an existing base. */
export async function ingest(inputs: IngestInputs, ctx: ComponentContext): Promise<Ingestion> {
  const frame = tableOf(inputs.input_df)
  const columns = readColumns(inputs.column_config, frame)
  const base = await openKnowledgeBase(inputs.knowledge_base, ctx)
  const target = inputs.allow_duplicates ? everyRow(base) : await distinctRows(base)
  const documents: Document[] = []
  const step = createWorkBudget()
  for (const row of frame.rows) {
    const document = knowledgeDocument(row, columns)
    if (!target.has(document.metadata[ROW_ID])) documents.push(document)
    if (step(HASH + document.text.length / CHARACTERS)) await eventLoopTurn()
  }
  await requireRoom(base.store, documents.length)
  const options = { apiKey: inputs.api_key, chunkSize: inputs.chunk_size }
  const embedder = await knowledgeEmbedder(base, options, ctx)
  const { source_metadata: source } = inputs
  const sourced = documents.map((document) =>
    source === undefined
      ? document
      : { ...document, metadata: { ...document.metadata, source_metadata: source } },
  )
  const rows = await embedDocuments(sourced, embedder, ctx)
  if (rows.length > 0) await target.add(rows)
  const info = {
    kb_id: ctx.runtime.uuid(),
    kb_name: base.name,
    rows: frame.rows.length,
    column_metadata: describeColumns(columns, frame),
    path: base.name,
    config_columns: columns.length,
    timestamp: ctx.runtime.now().toISOString(),
  }
  return { info, created: rows.length, skipped: frame.rows.length - rows.length }
}

function tableOf(value: unknown) {
  if (isMessage(value)) return createDataFrame([{ text: value.text }])
  if (isDataFrame(value) || isData(value)) return toDataFrame(value)
  if (Array.isArray(value) && value.every(isData)) return toDataFrame(value)
  throw new TypeError(`Unsupported input type: ${nameOfType(value)}. Expected DataFrame or Data.`)
}

function everyRow({ store }: KnowledgeBase): DistinctRows {
  return { has: () => false, add: (rows) => store.add(rows) }
}

async function distinctRows({ store }: KnowledgeBase): Promise<DistinctRows> {
  if (store.distinct !== undefined) return store.distinct(ROW_ID)
  const known = new Set<unknown>()
  for await (const part of documentsIn(store)) {
    for (const { metadata } of part) known.add(metadata[ROW_ID])
  }
  return { has: (value) => known.has(value), add: (rows) => store.add(rows) }
}

/** Creates a base from the editor's dialog and returns its name. */
async function createBase(
  dialog: Readonly<Record<string, unknown>>,
  { services, userId }: RefreshContext,
): Promise<string> {
  const name = dialog['01_new_kb_name']
  if (typeof name !== 'string' || !/^[A-Za-z\d][\w-]{1,61}[A-Za-z\d]$/.test(name)) {
    throw new TypeError(`Invalid knowledge base name: ${String(name)}`)
  }
  const chosen = readPicked(dialog['02_embedding_model'])
  if (!isModelChoice(chosen)) throw new TypeError('An embedding model is required')
  const { name: model, provider } = chosen
  const scope = userId === undefined ? {} : { userId }
  const apiKey = await resolveKey(dialog['03_api_key'], { services, userId })
  await knowledgeService(services).create(
    name,
    {
      provider: provider === '' ? providerOf(model) : provider,
      model,
      ...(apiKey === '' ? {} : { apiKey }),
    },
    scope,
  )
  return name
}

/** Returns the key itself; the input may be the key or the name of a variable. */
async function resolveKey(
  given: unknown,
  { services, userId }: Pick<RefreshContext, 'services' | 'userId'>,
): Promise<string> {
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string') throw new TypeError('API key must be a string.')
  const scope = { flowId: '', ...(userId === undefined ? {} : { userId }) }
  return (given === '' ? null : await services.variables?.get(given, scope)) ?? given
}
