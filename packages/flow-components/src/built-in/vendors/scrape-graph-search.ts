import { isObject } from '@x/wire'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { requireSuccess, vendorRequest } from './vendor-request.ts'

const URL = 'https://api.scrapegraphai.com/v1/searchscraper'

/** Searches the web and returns the results as data. */
export const scrapeGraphSearchApi = defineComponent({
  type: 'ScrapeGraphSearchApi',
  displayName: 'ScrapeGraph Search API',
  description: 'Searches the web with ScrapeGraph and returns the results as data.',
  icon: 'ScrapeGraph',
  category: 'scrapegraph',
  module: 'lfx.components.scrapegraph.scrapegraph_search_api.ScrapeGraphSearchApi',
  inputs: {
    api_key: field.secret({ displayName: 'ScrapeGraph API Key', required: true }),
    user_prompt: field.text({ displayName: 'Search Prompt', toolMode: true }),
  },
  outputs: {
    data: output.data({
      displayName: 'JSON',
      method: 'search',
      async run({ api_key: key, user_prompt }, ctx) {
        const answer = await vendorRequest(
          { url: URL, headers: { 'SGAI-APIKEY': key }, body: { user_prompt }, secrets: [key] },
          ctx,
        )
        const { body } = requireSuccess('ScrapeGraph', answer)
        return isObject(body) ? body : { result: body }
      },
    }),
  },
})
