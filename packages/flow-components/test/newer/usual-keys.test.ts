import { expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { checkFlow, createRegistry } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)

/** Secrets that people keep in no variable of one name. */
const WITHOUT = [
  'SaveToFile.service_account_key',
  'OllamaEmbeddings.api_key',
  'OllamaModel.api_key',
]
const OTHERS = [
  'OpenSearchVectorStoreComponent.jwt_token',
  'RedisChatMemory.password',
  'pgvector.pg_server_url',
]

test('FF-21: blank keys are looked up under the names that vendors tell', () => {
  const names = new Map<string, string | undefined>()
  for (const component of builtinComponents) {
    const { type, inputs } = component
    for (const [field, { fieldKind, options }] of Object.entries(inputs)) {
      if (fieldKind !== 'secret' || options.fallback === true) continue
      const flow = flowBuilder()
      flow.add(component, { id: 'Node-1' })
      const json = flow.toJSON()
      const template = json.data?.nodes?.[0]?.data.node.template
      const shown = template?.[field]
      if (shown === undefined) continue
      Object.assign(shown, { required: true, show: true, value: '', load_from_db: false })
      const problems = checkFlow(json, { components, variables: [] })
      const own = problems.find((one) => one.code === 'missing_key' && one.field === field)
      names.set(`${type}.${field}`, own?.variable)
    }
  }
  const nameless = [...names].filter(([, name]) => name === undefined).map(([field]) => field)
  expect(nameless.toSorted()).toEqual(
    [...WITHOUT, ...OTHERS, 'YouTubeCommentsComponent.api_key'].toSorted(),
  )
  expect(Object.fromEntries(names)).toMatchObject({
    'OpenAIModel.api_key': 'OPENAI_API_KEY',
    'CohereRerank.api_key': 'COHERE_API_KEY',
    'MistalAIEmbeddings.mistral_api_key': 'MISTRAL_API_KEY',
    'HuggingFaceModel.huggingfacehub_api_token': 'HUGGINGFACEHUB_API_TOKEN',
    'Serp.serpapi_api_key': 'SERPAPI_API_KEY',
    'needle.needle_api_key': 'NEEDLE_API_KEY',
    'AstraDB.token': 'ASTRA_DB_APPLICATION_TOKEN',
    'SaveToFile.aws_access_key_id': 'AWS_ACCESS_KEY_ID',
  })
})
