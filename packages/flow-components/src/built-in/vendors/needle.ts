import { isObject } from '@x/wire'
import { type ComponentContext, errorText } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const NOTHING = 'No relevant documents found for the query.'

const fields = {
  needle_api_key: field.secret({ displayName: 'Needle API Key', required: true }),
  collection_id: field.text({ displayName: 'Collection ID', required: true }),
  query: field.text({ displayName: 'User Query', required: true, toolMode: true }),
  top_k: field.int({ displayName: 'Top K Results', default: 20, required: true }),
}

type NeedleInputs = Values<typeof fields>

/** Finds texts in a Needle collection that are relevant to a question. */
export const needle = defineComponent({
  type: 'needle',
  displayName: 'Needle Retriever',
  description: 'Searches a Needle collection.',
  icon: 'Needle',
  category: 'needle',
  module: 'lfx.components.needle.needle.NeedleComponent',
  inputs: fields,
  outputs: {
    result: output.message({
      displayName: 'Result',
      method: 'run',
      async run(inputs, ctx) {
        need(inputs.needle_api_key, 'Needle API key')
        need(inputs.collection_id, 'Collection ID')
        need(inputs.query, 'query')
        try {
          const texts = await search(inputs, ctx)
          if (texts.length === 0) return NOTHING
          const context = texts.map((text, at) => `Document ${at + 1}:\n${text}`).join('\n\n')
          return `Question: ${inputs.query}\n\nContext:\n${context}`
        } catch (error) {
          ctx.signal.throwIfAborted()
          throw new TypeError(`Error processing query: ${errorText(error)}`, { cause: error })
        }
      },
    }),
  },
})

async function search(inputs: NeedleInputs, ctx: ComponentContext): Promise<string[]> {
  const collection = encodeURIComponent(inputs.collection_id)
  const answer = await vendorRequest(
    {
      url: `https://search.needle.xyz/api/v1/collections/${collection}/search`,
      headers: { 'x-api-key': inputs.needle_api_key },
      body: { text: inputs.query, top_k: Math.max(20, inputs.top_k) },
      secrets: [inputs.needle_api_key],
    },
    ctx,
  )
  const { body } = requireSuccess('Needle', answer)
  const found = isObject(body) ? (body.result ?? body.results) : body
  return recordsIn(found).map(({ content }) => textIn(content))
}

function need(value: string | null, what: string): void {
  if (value === null || value.trim() === '') throw new TypeError(`The ${what} cannot be empty.`)
}
