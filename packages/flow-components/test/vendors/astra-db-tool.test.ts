import { expect, test } from 'vitest'
import { astraDbTool } from '@x/flow-components'
import { type Data, type Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const stored = {
  token: 'AstraCS:secret',
  api_endpoint: 'https://db.example',
  collection_name: 'orders',
  tool_name: 'OrderLookup',
  tool_description: 'Finds an order',
}
const answer = () => jsonAnswer({ data: { documents: [{ _id: '1', total: 7 }] } })

async function tool(inputs: object) {
  const { fetch, requests } = scriptedFetch(answer(), answer())
  const options = { inputs: { ...stored, ...inputs }, services: { fetch } }
  const { outputs } = await testComponent(astraDbTool, { ...options, output: 'api_build_tool' })
  const [made] = outputs.api_build_tool as Tool[]
  if (made === undefined) throw new RangeError('no tool')
  return { made, requests }
}

test('FF-83: the older form of an Astra DB tool finds documents by the pairs of its fields', async () => {
  const { made, requests } = await tool({
    namespace: 'shop',
    tool_params: { '!orderNumber': 'The number', city: '' },
    static_filters: { open: true },
    projection_attributes: 'total, !secret',
  })
  expect([made.name, made.description]).toEqual(['OrderLookup', 'Finds an order'])
  expect(made.parameters).toEqual({
    type: 'object',
    properties: {
      orderNumber: { type: 'string', description: 'The number' },
      city: { type: 'string', description: '' },
    },
    required: ['orderNumber'],
  })
  expect(await made.call({ orderNumber: '7' }, { signal: AbortSignal.timeout(5_000) })).toEqual([
    { _id: '1', total: 7 },
  ])
  expect(requests[0]).toMatchObject({
    url: 'https://db.example/api/json/v1/shop/orders',
    body: {
      find: {
        filter: { orderNumber: '7', open: true },
        projection: { total: true, secret: false },
        options: { limit: 5 },
      },
    },
  })
})

test('FF-83: the newer form has a table, operators and a semantic search', async () => {
  const { made, requests } = await tool({
    tools_params_v2: [
      { name: 'after', attribute_name: 'at', operator: '$gt', mandatory: true, metadata: 'True' },
    ],
    use_search_query: true,
    use_vectorize: true,
  })
  expect(made.parameters).toMatchObject({ required: ['after', 'search_query'] })
  await made.call({ after: '2024', search_query: 'ships' }, { signal: AbortSignal.timeout(5_000) })
  expect(requests[0]?.body).toMatchObject({
    find: { filter: { 'metadata.at': { $gt: '2024' } }, sort: { $vectorize: 'ships' } },
  })
})

test('FF-83: as a component it gives the documents', async () => {
  const { fetch } = scriptedFetch(answer())
  const { outputs } = await testComponent(astraDbTool, {
    inputs: stored,
    services: { fetch },
    output: 'api_run_model',
  })
  expect((outputs.api_run_model as Data[]).map(({ data }) => data)).toEqual([
    { _id: '1', total: 7 },
  ])
})

test('FF-83: a mandatory parameter is never left out of the filter, and names of any kind are kept', async () => {
  const { made, requests } = await tool({ tool_params: { '!customer': 'Whose orders' } })
  for (const args of [{ customer: '' }, { customer: null }, {}])
    await expect(made.call(args, { signal: AbortSignal.timeout(5_000) })).rejects.toThrow(
      'The argument customer is required',
    )
  expect(requests).toHaveLength(0)

  const odd = await tool({ tools_params_v2: [{ name: '__proto__', attribute_name: '__proto__' }] })
  expect(JSON.stringify(odd.made.parameters)).toContain('"__proto__":')
  const args: unknown = JSON.parse('{"__proto__":"x"}')
  await odd.made.call(args, { signal: AbortSignal.timeout(5_000) })
  expect(JSON.stringify(odd.requests[0]?.body)).toContain('"filter":{"__proto__":"x"}')
})
