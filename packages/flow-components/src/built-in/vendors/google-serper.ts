import { isObject } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const LISTS = new Map([
  ['search', 'organic'],
  ['news', 'news'],
  ['images', 'images'],
  ['places', 'places'],
  ['videos', 'videos'],
])

const fields = {
  serper_api_key: field.secret({ displayName: 'Serper API Key', required: true }),
  query: field.multiline({ displayName: 'Query' }),
  k: field.int({ displayName: 'Number of results', default: 4, required: true }),
  query_type: field.dropdown({
    displayName: 'Query Type',
    options: [...LISTS.keys()],
    default: 'search',
  }),
  query_params: field.dict({
    displayName: 'Query Params',
    info: 'Additional parameters of the search.',
    list: true,
    default: { gl: 'us', hl: 'en' },
  }),
}

type SearchInputs = Values<typeof fields>

/** Searches Google through Serper. */
export const googleSerperApi = defineComponent({
  type: 'GoogleSerperAPI',
  displayName: 'Google Serper API [DEPRECATED]',
  description: 'Searches Google through Serper.',
  icon: 'Google',
  category: 'tools',
  module: 'lfx.components.tools.google_serper_api.GoogleSerperAPIComponent',
  legacy: true,
  inputs: fields,
  outputs: {
    api_run_model: output.list({
      displayName: 'Data',
      method: 'run_model',
      async run(inputs, ctx) {
        const rows = await search(inputs, ctx)
        ctx.status(rows)
        return rows
      },
    }),
    api_build_tool: output.tools({
      displayName: 'Tool',
      method: 'build_tool',
      run: (inputs, ctx) => [searchTool(inputs, ctx)],
    }),
  },
})

async function search(inputs: SearchInputs, ctx: ComponentContext): Promise<Data[]> {
  const key = inputs.serper_api_key ?? ''
  const list = LISTS.get(inputs.query_type)
  if (list === undefined)
    throw new TypeError(`Query Type must be one of ${[...LISTS.keys()].join(', ')}`)
  const answer = await vendorRequest(
    {
      url: `https://google.serper.dev/${inputs.query_type}`,
      headers: { 'X-API-KEY': key },
      body: { q: inputs.query, num: inputs.k, ...inputs.query_params },
      secrets: [key],
    },
    ctx,
  )
  const { body } = requireSuccess('Serper', answer)
  const rows = recordsIn(isObject(body) ? body[list] : undefined).slice(0, inputs.k)
  return rows.map(({ title, link, snippet, position }) =>
    createData(
      { title: title ?? '', link: link ?? '', snippet: snippet ?? '', position: position ?? null },
      { textKey: 'snippet' },
    ),
  )
}

function searchTool(inputs: SearchInputs, ctx: ComponentContext): Tool {
  return {
    name: 'google_search',
    description: 'Searches Google for recent results.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'The search query' } },
      required: ['query'],
    },
    async call(args) {
      const query = isObject(args) ? textIn(args['query']) : ''
      return (await search({ ...inputs, query }, ctx)).map(({ data }) => data)
    },
  }
}
