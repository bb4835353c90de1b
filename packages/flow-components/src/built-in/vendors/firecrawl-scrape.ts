import { isObject } from '@x/wire'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const URL = 'https://api.firecrawl.dev/v1/scrape'

/** Reads a page with Firecrawl. */
export const firecrawlScrapeApi = defineComponent({
  type: 'FirecrawlScrapeApi',
  displayName: 'Firecrawl Scrape API',
  description: 'Reads a page with Firecrawl.',
  category: 'firecrawl',
  module: 'lfx.components.firecrawl.firecrawl_scrape_api.FirecrawlScrapeApi',
  inputs: {
    api_key: field.secret({ displayName: 'Firecrawl API Key', required: true }),
    url: field.multiline({ displayName: 'URL', required: true, toolMode: true }),
    timeout: field.int({ displayName: 'Timeout', info: 'Timeout of the service in milliseconds.' }),
    scrapeOptions: field.data({
      displayName: 'Scrape Options',
      info: 'Additional parameters of the request.',
    }),
    extractorOptions: field.data({
      displayName: 'Extractor Options',
      info: 'The extract property of the request.',
    }),
  },
  outputs: {
    data: output.data({
      displayName: 'Data',
      method: 'scrape',
      async run({ api_key: key, url, timeout, scrapeOptions, extractorOptions }, ctx) {
        const extract = extractorOptions?.data ?? {}
        const answer = await vendorRequest(
          {
            url: URL,
            headers: { authorization: `Bearer ${key}` },
            body: {
              ...scrapeOptions?.data,
              ...(Object.keys(extract).length === 0 ? {} : { extract }),
              ...(timeout === null || timeout <= 0 ? {} : { timeout }),
              url,
            },
            secrets: [key],
          },
          ctx,
        )
        const { body } = requireSuccess('Firecrawl', answer)
        const read = isObject(body) ? body : {}
        if (read.success === false) throw new TypeError(`Firecrawl: ${textIn(read.error)}`)
        return isObject(read.data) ? read.data : { result: read.data ?? null }
      },
    }),
  },
})
