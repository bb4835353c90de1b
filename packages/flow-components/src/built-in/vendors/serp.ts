import { isObject } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { oncePerBuild } from '@x/flow-engine/internal'
import { resultRow, rowLimits } from './search-rows.ts'
import { recordsIn, vendorMessage, vendorRequest } from './vendor-request.ts'

const URL = 'https://serpapi.com/search.json'

const fields = {
  serpapi_api_key: field.secret({ displayName: 'SerpAPI API Key', required: true }),
  input_value: field.multiline({ displayName: 'Input', toolMode: true }),
  search_params: field.dict({
    displayName: 'Parameters',
    info: 'Additional parameters of the search; engine is google.',
    list: true,
    default: {},
    advanced: true,
  }),
  ...rowLimits,
}

type SerpInputs = Values<typeof fields>

/** Searches the web through SerpAPI. */
export const serpApi = defineComponent({
  type: 'Serp',
  displayName: 'Serp Search API',
  description: 'Searches the web with SerpAPI.',
  icon: 'SerpSearch',
  category: 'serpapi',
  module: 'lfx.components.serpapi.serp.SerpComponent',
  inputs: fields,
  outputs: {
    data: output.list({
      displayName: 'Data',
      method: 'fetch_content',
      run: (inputs, ctx) => search(inputs, ctx),
    }),
    text: output.message({
      displayName: 'Text',
      method: 'fetch_content_text',
      run: async (inputs, ctx) =>
        (await search(inputs, ctx)).map(({ data }) => data['text']).join('\n'),
    }),
  },
})

/** The vendor accepts the key only in the URL, so errors never contain the URL. */
const search = oncePerBuild(async (inputs: SerpInputs, ctx: ComponentContext): Promise<Data[]> => {
  const key = inputs.serpapi_api_key ?? ''
  const given = Object.entries(inputs.search_params).map(([name, value]) => [
    name,
    toLiteralText(value),
  ])
  const params = new URLSearchParams({
    engine: 'google',
    q: inputs.input_value,
    ...(Object.fromEntries(given) as Record<string, string>),
    api_key: key,
  })
  const url = `${URL}?${params.toString()}`
  const answer = await vendorRequest({ url, secrets: [key, encodeURIComponent(key), url] }, ctx)
  if (!answer.ok) throw new TypeError(`SerpAPI answered ${answer.status}: ${vendorMessage(answer)}`)
  const found = recordsIn(isObject(answer.body) ? answer.body.organic_results : undefined)
  const rows = found
    .slice(0, inputs.max_results)
    .map((result) => createData(resultRow(result, inputs.max_snippet_length)))
  ctx.status(rows)
  return rows
})
