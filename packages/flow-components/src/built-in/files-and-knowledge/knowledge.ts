import { isObject } from '@x/wire'
import { toDataFrame, errorText, type ProviderKey } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { isMessage, createMessage } from '@x/flow-engine'
import { readText } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { oncePerBuild } from '@x/flow-engine/internal'
import { createDialog } from './knowledge-dialog.ts'
import { ingest, refreshKnowledge } from './knowledge-ingestion.ts'
import { retrieve } from './knowledge-retrieval.ts'
import { columnConfigColumns } from './knowledge-columns.ts'

/** The inputs of both modes; a node hides those of the other mode. */
const knowledgeInputs = (mode: 'Ingest' | 'Retrieve') => ({
  knowledge_base: field.dropdown({
    displayName: 'Knowledge',
    required: true,
    refresh: true,
    attributes: { refresh_button: true, dialog_inputs: createDialog() },
  }),
  mode: field.tab({
    displayName: 'Mode',
    default: mode,
    options: ['Ingest', 'Retrieve'],
    toolMode: true,
    refresh: true,
  }),
  input_df: field.handle({
    displayName: 'Input',
    types: ['Message', 'Data', 'DataFrame'],
    dynamic: true,
    show: mode === 'Ingest',
    attributes: { required: true },
  }),
  column_config: field.table({
    displayName: 'Column Configuration',
    default: [{ column_name: 'text', identifier: true, vectorize: true }],
    required: true,
    dynamic: true,
    show: mode === 'Ingest',
    columns: columnConfigColumns,
  }),
  chunk_size: field.int({
    displayName: 'Chunk Size',
    default: 1000,
    advanced: true,
    dynamic: true,
    show: mode === 'Ingest',
  }),
  api_key: field.key({
    displayName: 'Embedding Provider API Key',
    advanced: true,
    dynamic: true,
    show: mode === 'Ingest',
  }),
  allow_duplicates: field.bool({
    displayName: 'Allow Duplicates',
    default: false,
    advanced: true,
    dynamic: true,
    show: mode === 'Ingest',
  }),
  metadata_json: field.string({
    displayName: 'Metadata',
    advanced: true,
    dynamic: true,
    show: mode === 'Ingest',
  }),
  search_query: field.text({
    displayName: 'Search Query',
    toolMode: true,
    dynamic: true,
    show: mode === 'Retrieve',
  }),
  top_k: field.int({
    displayName: 'Top K Results',
    default: 5,
    advanced: true,
    dynamic: true,
    show: mode === 'Retrieve',
  }),
  include_metadata: field.bool({
    displayName: 'Include Metadata',
    default: true,
    dynamic: true,
    show: mode === 'Retrieve',
  }),
  include_embeddings: field.bool({
    displayName: 'Include Embeddings',
    default: false,
    advanced: true,
    dynamic: true,
    show: mode === 'Retrieve',
  }),
  metadata_filter: field.text({
    displayName: 'Metadata Filter',
    advanced: true,
    dynamic: true,
    show: mode === 'Retrieve',
  }),
})

/** Adds rows to a knowledge base or searches it, depending on the mode. */
export const knowledge = defineComponent({
  type: 'Knowledge',
  displayName: 'Knowledge',
  description: 'Adds texts to a knowledge base, or searches it.',
  icon: 'database',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.knowledge.KnowledgeComponent',
  idempotent: false,
  inputs: knowledgeInputs('Ingest'),
  outputs: {
    dataframe_output: output.data({
      displayName: 'Results',
      method: 'build_kb_info',
      run: async (inputs, ctx) => asData(await work(inputs, ctx)),
    }),
    retrieve_data: output.dataFrame({
      displayName: 'Results',
      method: 'retrieve_data',
      run: async (inputs, ctx) => toDataFrame(await work(inputs, ctx)),
    }),
  },
  refresh: refreshKnowledge,
})

/** The retrieval part, as a component in versions 1.8 and 1.9. */
export const knowledgeBase = defineComponent({
  type: 'KnowledgeBase',
  displayName: 'Knowledge Base',
  description: 'Searches a knowledge base.',
  icon: 'download',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.retrieval.KnowledgeBaseComponent',
  legacy: true,
  inputs: knowledgeInputs('Retrieve'),
  outputs: {
    retrieve_data: output.dataFrame({
      displayName: 'Results',
      method: 'retrieve_data',
      run: (inputs, ctx) => search(inputs, ctx),
    }),
  },
  refresh: refreshKnowledge,
})

interface KnowledgeInputs {
  readonly knowledge_base: string
  readonly mode: string
  readonly input_df: unknown
  readonly column_config: readonly Row[]
  readonly chunk_size: number
  readonly api_key: ProviderKey
  readonly allow_duplicates: boolean
  readonly metadata_json: string
  readonly search_query: string
  readonly top_k: number
  readonly include_metadata: boolean
  readonly include_embeddings: boolean
  readonly metadata_filter: string
}

/** The mode decides, whichever output is connected; both outputs of a build share the work. */
const work = oncePerBuild(
  (inputs: KnowledgeInputs, ctx: ComponentContext): Promise<Data | DataFrame> =>
    inputs.mode === 'Retrieve' ? search(inputs, ctx) : fill(inputs, ctx),
)

async function fill(inputs: KnowledgeInputs, ctx: ComponentContext): Promise<Data> {
  try {
    const source = parsedObject(inputs.metadata_json)
    const { info, created, skipped } = await ingest(
      {
        ...inputs,
        input_df: await readable(inputs.input_df),
        source_metadata: source === undefined ? undefined : JSON.stringify(source),
      },
      ctx,
    )
    const { kb_id, kb_name, rows, ...others } = info
    const result = { kb_id, kb_name, rows, chunks_created: created, skipped, ...others }
    ctx.status(result)
    return createData(result)
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`Error during KB ingestion: ${errorText(error)}`, { cause: error })
  }
}

function search(inputs: KnowledgeInputs, ctx: ComponentContext): Promise<DataFrame> {
  const wanted = parsedObject(inputs.metadata_filter)
  return retrieve(
    { ...inputs, ...(wanted === undefined ? {} : { accepts: (row) => fits(row, wanted) }) },
    ctx,
  )
}

/** Requires, for every key, one of the wanted values in the row's `source_metadata`. */
function fits(
  { source_metadata: text }: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): boolean {
  const source = typeof text === 'string' ? (parsedObject(text) ?? {}) : {}
  return Object.entries(wanted).every(([key, value]) => {
    const held = valuesOf(Object.hasOwn(source, key) ? source[key] : undefined)
    return valuesOf(value).some((one) => held.includes(one))
  })
}

function valuesOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  return [value].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
}

/** Parses text that contains a JSON object; other text is ignored. */
function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads a streaming message completely. */
async function readable(value: unknown): Promise<unknown> {
  return isMessage(value) ? createMessage(await readText(value.text)) : value
}

function asData(found: Data | DataFrame): Data {
  return 'rows' in found ? createData({ results: [...createDataFrame(found.rows).rows] }) : found
}
