import { builtinComponents } from '@x/flow-components'
import { createRegistry, runFlow, type Component, type FlowJson } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { flowBuilder } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'
import { expect, test } from 'vitest'

const components = createRegistry(builtinComponents)
const find = (type: string): Component => {
  const found = components.get(type)
  if (found === undefined) throw new RangeError(type)
  return found
}

/** A question to a model, whose node has its fields under former names. */
function flowOf(type: string, renamed: Readonly<Record<string, string>>, values: object): FlowJson {
  const flow = flowBuilder()
  flow.add(chatInput, { id: 'ChatInput-a' })
  flow.add(find(type), { id: 'Model-b', values: { ...values } })
  flow.add(chatOutput, { id: 'ChatOutput-c' })
  flow.connect('ChatInput-a.message', 'Model-b.input_value')
  flow.connect('Model-b.text_output', 'ChatOutput-c.input_value')
  const json = flow.toJSON()
  const template = json.data?.nodes?.[1]?.data.node?.template ?? {}
  for (const [former, present] of Object.entries(renamed)) {
    template[former] = { ...template[present], name: former }
    delete template[present]
  }
  return json
}

const answer = jsonAnswer({ choices: [{ message: { role: 'assistant', content: 'yes' } }] })

async function ask(json: FlowJson, options: object = {}) {
  const { fetch, requests } = scriptedFetch(answer)
  const { result } = runFlow(json, {
    input: 'Hi',
    components,
    services: { fetch, variables: { get: async (name) => name } },
    ...options,
  })
  const done = await result
  return { result: done, request: requests[0] }
}

test('FF-40: former names of fields are read where the present ones are absent', async () => {
  const renamed = { groq_api_key: 'api_key', groq_api_base: 'base_url' }
  const values = { api_key: 'a-key-of-mine', base_url: 'https://groq.example', model_name: 'm' }
  const { result, request } = await ask(flowOf('GroqModel', renamed, values))
  expect(result.error).toBeUndefined()
  expect(request?.url).toMatch(/^https:\/\/groq\.example\//)
  expect(JSON.stringify(request)).toContain('a-key-of-mine')
})

test('FF-40: the model that a former field names is asked, and tweaks of the former name count', async () => {
  const renamed = { google_api_key: 'api_key', model: 'model_name' }
  const json = flowOf('GoogleGenerativeAIModel', renamed, {
    api_key: 'k-1234',
    model_name: 'old-1',
  })
  expect(JSON.stringify((await ask(json)).request)).toContain('old-1')
  const tweaks = { 'Model-b': { model: 'other-2' } }
  const { result, request } = await ask(json, { tweaks })
  expect(JSON.stringify(request)).toContain('other-2')
  expect(result.warnings).toEqual([])
})

test('FF-40: an edge into a former field feeds the present one', async () => {
  const flow = flowBuilder()
  flow.add(chatInput, { id: 'ChatInput-a' })
  flow.add(find('Chroma'), { id: 'Chroma-b', values: { collection_name: 'c' } })
  flow.connect('ChatInput-a.message', 'Chroma-b.search_query')
  const text = JSON.stringify(flow.toJSON()).replaceAll('search_query', 'search_input')
  const { result } = runFlow(JSON.parse(text), {
    input: 'Hi',
    components,
    outputType: 'debug',
  })
  expect((await result).warnings.map(({ code }) => code)).not.toContain('ignored_edge')
})
