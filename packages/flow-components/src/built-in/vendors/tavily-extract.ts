import { isObject } from '@x/wire'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const URL = 'https://api.tavily.com/extract'

/** Reads the content of pages through Tavily. */
export const tavilyExtract = defineComponent({
  type: 'TavilyExtractComponent',
  displayName: 'Tavily Extract API',
  description: 'Reads the content of pages with Tavily.',
  icon: 'TavilyIcon',
  category: 'tavily',
  module: 'lfx.components.tavily.tavily_extract.TavilyExtractComponent',
  inputs: {
    api_key: field.secret({ displayName: 'Tavily API Key', required: true }),
    urls: field.text({ displayName: 'URLs', info: 'Separated by commas.', required: true }),
    extract_depth: field.dropdown({
      displayName: 'Extract Depth',
      options: ['basic', 'advanced'],
      default: 'basic',
      advanced: true,
    }),
    include_images: field.bool({ displayName: 'Include Images', default: false, advanced: true }),
  },
  outputs: {
    dataframe: output.list({
      displayName: 'DataFrame',
      method: 'fetch_content',
      async run({ api_key: key, extract_depth, include_images, ...inputs }, ctx) {
        const urls = inputs.urls
          .split(',')
          .map((url) => url.trim())
          .filter((url) => url !== '')
        if (urls.length === 0) throw new TypeError('URLs is required')
        const answer = await vendorRequest(
          {
            url: URL,
            headers: { authorization: `Bearer ${key}` },
            body: { urls, extract_depth, include_images },
            secrets: [key],
          },
          ctx,
        )
        const { body } = requireSuccess('Tavily', answer)
        const { results, failed_results: failed } = isObject(body) ? body : {}
        const rows = [
          ...recordsIn(results).map(({ url, raw_content: content, images }) => ({
            url: url ?? '',
            raw_content: textIn(content),
            images: images ?? [],
            text: textIn(content),
          })),
          ...recordsIn(failed).map(({ url, error }) => ({ url: url ?? '', error: error ?? '' })),
        ]
        ctx.status(rows)
        return rows
      },
    }),
  },
})
