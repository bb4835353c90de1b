import { isObject } from '@x/wire'
import {
  createData,
  defineComponent,
  field,
  output,
  type ComponentContext,
  type Data,
  type Embedder,
  type Values,
} from '@x/flow-engine'
import { embedText } from '../vectors/ingest.ts'
import { astraCommand, astraEndpoint } from './astra-api.ts'
import { recordsIn, textIn } from './vendor-request.ts'

const fields = {
  token: field.secret({
    displayName: 'Astra DB Application Token',
    default: 'ASTRA_DB_APPLICATION_TOKEN',
    required: true,
  }),
  database_name: field.dropdown({ displayName: 'Database', combobox: true }),
  api_endpoint: field.string({ displayName: 'API Endpoint' }),
  keyspace: field.dropdown({ displayName: 'Keyspace', combobox: true, advanced: true }),
  namespace: field.string({ displayName: 'Namespace', newer: true }),
  collection_name: field.dropdown({ displayName: 'Collection', combobox: true, required: true }),
  tool_name: field.string({ displayName: 'Tool Name', required: true }),
  tool_description: field.string({ displayName: 'Tool Description', required: true }),
  projection_attributes: field.string({
    displayName: 'Projection Attributes',
    default: '*',
    advanced: true,
  }),
  tools_params_v2: field.table({
    displayName: 'Tools Parameters',
    columns: ['name', 'attribute_name', 'description', 'metadata', 'mandatory', 'operator'].map(
      (name) => ({ name, display_name: name, type: 'str' }),
    ),
  }),
  tool_params: field.dict({ displayName: 'Tool params', list: true, advanced: true }),
  static_filters: field.dict({ displayName: 'Static filters', list: true, advanced: true }),
  number_of_results: field.int({ displayName: 'Number of Results', default: 5, advanced: true }),
  use_search_query: field.bool({ displayName: 'Semantic Search', default: false }),
  use_vectorize: field.bool({ displayName: 'Use Astra DB Vectorize', default: false }),
  embedding: field.embeddings({ displayName: 'Embedding Model' }),
  semantic_search_instruction: field.string({
    displayName: 'Semantic Search Instruction',
    default: 'Search query to find relevant documents.',
    advanced: true,
  }),
}

type ToolValues = Values<typeof fields>

/** Offers the documents of an Astra DB collection to agents as a tool. */
export const astraDbTool = defineComponent({
  type: 'AstraDBTool',
  aliases: ['AstraDBToolComponent'],
  displayName: 'Astra DB Tool',
  description: 'Finds documents of an Astra DB collection for agents.',
  icon: 'AstraDB',
  category: 'datastax',
  module: 'lfx.components.datastax.astradb_tool.AstraDBToolComponent',
  legacy: true,
  inputs: fields,
  outputs: {
    api_run_model: output.list({
      displayName: 'Data',
      method: 'run_model',
      run: (inputs, ctx) => find(inputs, {}, ctx),
    }),
    api_build_tool: output.tools({
      displayName: 'Tool',
      method: 'build_tool',
      run: (inputs, ctx) => [
        {
          name: inputs.tool_name,
          description: inputs.tool_description,
          parameters: parametersOf(inputs),
          call: async (given) => {
            const args = isObject(given) ? given : {}
            // Without it the whole collection would be found.
            const missing = parameterList(inputs).find(
              ({ name, isRequired }) => isRequired && isBlank(args, name),
            )
            if (missing !== undefined)
              throw new TypeError(`The argument ${missing.name} is required`)
            const rows = await find(inputs, args, ctx)
            return rows.map(({ data }) => data)
          },
        },
      ],
    }),
  },
})

interface Parameter {
  readonly name: string
  readonly attribute: string
  readonly description: string
  readonly isRequired: boolean
  readonly operator: string
}

/** The table of newer nodes, else the pairs of older ones, in which `!` marks a required name. */
function parameterList({ tools_params_v2: table, tool_params: pairs }: ToolValues): Parameter[] {
  if (table.length === 0)
    return Object.entries(pairs).map(([key, description]) => {
      const name = key.replace(/^!/, '')
      const isRequired = key.startsWith('!')
      return {
        name,
        attribute: name,
        description: textIn(description),
        isRequired,
        operator: '$eq',
      }
    })
  return table.map((row) => {
    const name = textIn(row['name'])
    const attribute = textIn(row['attribute_name']) || name
    return {
      name,
      attribute: isTrue(row['metadata']) ? `metadata.${attribute}` : attribute,
      description: textIn(row['description']),
      isRequired: isTrue(row['mandatory']),
      operator: textIn(row['operator']) || '$eq',
    }
  })
}

function isBlank(args: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  return value === undefined || value === null || value === ''
}

const isTrue = (value: unknown): boolean => value === true || value === 'True'

function parametersOf(inputs: ToolValues) {
  const list = parameterList(inputs)
  const search = inputs.use_search_query
    ? { search_query: { type: 'string', description: inputs.semantic_search_instruction } }
    : {}
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        list.map(({ name, description }) => [name, { type: 'string', description }]),
      ),
      ...search,
    },
    required: [
      ...list.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      ...Object.keys(search),
    ],
  }
}

async function find(
  inputs: ToolValues,
  args: Readonly<Record<string, unknown>>,
  ctx: ComponentContext,
): Promise<Data[]> {
  const token = inputs.token.trim()
  const endpoint =
    inputs.api_endpoint.trim() || (await astraEndpoint(inputs.database_name, token, ctx))
  const keyspace = inputs.keyspace.trim() || inputs.namespace.trim() || 'default_keyspace'
  const filter = Object.fromEntries(
    parameterList(inputs)
      .filter(({ name }) => !isBlank(args, name))
      .map(({ name, attribute, operator }) => [
        attribute,
        operator === '$eq' ? args[name] : { [operator]: args[name] },
      ]),
  )
  const query = textIn(args['search_query'])
  const sort = query === '' ? undefined : await sortOf(query, inputs, ctx)
  const command = {
    find: {
      filter: { ...filter, ...inputs.static_filters },
      projection: projectionOf(inputs.projection_attributes),
      ...(sort === undefined ? {} : { sort }),
      options: { limit: inputs.number_of_results },
    },
  }
  const access = { token, endpoint, keyspace }
  const collection = inputs.collection_name.trim()
  const { data } = await astraCommand(access, { collection, command }, ctx)
  const rows = recordsIn(isObject(data) ? data.documents : []).map((row) => createData(row))
  ctx.status(rows)
  return rows
}

async function sortOf(
  query: string,
  { use_vectorize: vectorizes, embedding }: ToolValues,
  ctx: ComponentContext,
): Promise<object> {
  if (vectorizes) return { $vectorize: query }
  const embedder: Embedder | null = embedding
  if (embedder === null) throw new TypeError('Semantic Search needs an embedding model.')
  return { $vector: await embedText(query, embedder, ctx.signal) }
}

/** `*`, or names separated by commas, of which `!` leaves one out. */
function projectionOf(attributes: string): Record<string, boolean> {
  const names = attributes.split(',').flatMap((name) => name.trim() || [])
  return Object.fromEntries(
    names.map((name) => (name.startsWith('!') ? [name.slice(1), false] : [name, true])),
  )
}
