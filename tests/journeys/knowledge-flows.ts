import type { FlowNode, NodeDetails } from '@x/flow-engine'
import { expect } from 'vitest'
import { catalogueNode, flowOf, importFlow, nodeOf } from './flow-calls.ts'
import type { Service } from './service.ts'

/** Three texts of 20 characters at most. */
export const TEXT = 'red apples are sweet\nblue whales swim far\ngreen tea is brewed'

type Values = Readonly<Record<string, unknown>>

/** A node of the catalogue with values in its fields. */
export async function node(service: Service, type: string, values: Values = {}): Promise<FlowNode> {
  const details = await catalogueNode(service, type)
  const template: NodeDetails['template'] = { ...details.template }
  for (const [name, value] of Object.entries(values)) {
    template[name] = { ...template[name], value, load_from_db: false }
  }
  return nodeOf(`${type.replaceAll(' ', '')}-j1`, type, { ...details, template })
}

/** A flow that puts each line of the chat input into a store, and one that answers from it. */
export async function storeFlows(
  service: Service,
  type: 'Chroma' | 'FAISS',
  values: Values,
  key?: string,
) {
  const ingest = {
    in: await node(service, 'ChatInput'),
    split: await node(service, 'SplitText', { chunk_size: 20, chunk_overlap: 0 }),
    vectors: await node(service, 'OpenAIEmbeddings', { openai_api_key: 'sk-of-a-user' }),
    store: await node(service, type, values),
    parser: await node(service, 'ParserComponent', { pattern: '{text}' }),
    out: await node(service, 'ChatOutput'),
  }
  const { split: _, ...answer } = ingest
  const ends = [
    ['vectors.embeddings', 'store.embedding'],
    ['in.message', 'store.search_query'],
    ['store.dataframe', 'parser.input_data'],
    ['parser.parsed_text', 'out.input_value'],
  ] as const
  const fill = [
    ['in.message', 'split.data_inputs'],
    ['split.dataframe', 'store.ingest_data'],
  ] as const
  const options = key === undefined ? {} : { key }
  return {
    ingest: await importFlow(service, flowOf(`${type} in`, ingest, [...fill, ...ends]), options),
    answer: await importFlow(service, flowOf(`${type} out`, answer, ends), options),
  }
}

/** Makes a base as the editor's dialog does; resolves with the value of the field. */
export async function makeBase(service: Service, name: string): Promise<unknown> {
  const { template } = await catalogueNode(service, 'KnowledgeIngestion')
  const answer = await service.call('POST', '/api/v1/custom_component/update', {
    body: {
      code: template['code']?.value,
      template,
      field: 'knowledge_base',
      field_value: {
        '01_new_kb_name': name,
        '02_embedding_model': 'text-embedding-3-small',
        '03_api_key': 'sk-of-a-user',
      },
    },
  })
  expect(answer.status).toBe(200)
  return (answer.json() as { template: NodeDetails['template'] }).template['knowledge_base']?.value
}

export async function knowledgeFlows(service: Service, base: string) {
  const ingest = {
    in: await node(service, 'ChatInput'),
    split: await node(service, 'SplitText', { chunk_size: 20, chunk_overlap: 0 }),
    base: await node(service, 'KnowledgeIngestion', { knowledge_base: base }),
    out: await node(service, 'ChatOutput'),
  }
  const retrieve = {
    in: await node(service, 'ChatInput'),
    base: await node(service, 'KnowledgeRetrieval', { knowledge_base: base, top_k: 1 }),
    parser: await node(service, 'ParserComponent', { pattern: '{content}' }),
    out: await node(service, 'ChatOutput'),
  }
  return {
    ingest: await importFlow(
      service,
      flowOf(`fill ${base}`, ingest, [
        ['in.message', 'split.data_inputs'],
        ['split.dataframe', 'base.input_df'],
        ['base.dataframe_output', 'out.input_value'],
      ]),
    ),
    retrieve: await importFlow(
      service,
      flowOf(`ask ${base}`, retrieve, [
        ['in.message', 'base.search_query'],
        ['base.retrieve_data', 'parser.input_data'],
        ['parser.parsed_text', 'out.input_value'],
      ]),
    ),
  }
}
