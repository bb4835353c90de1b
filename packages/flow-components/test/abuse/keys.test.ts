import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { apiRequest, openAiModel } from '@x/flow-components'
import { languageModel, textInput } from '@x/flow-engine/components'
import { anthropicModel } from '../../src/built-in/vendors/anthropic-model.ts'
import { codeComponent } from '../../../flow-engine/src/components/node/code-component.ts'
import { createNode } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createRegistry, runFlow } from '@x/flow-engine'
import { outgoingFetch } from '@x/flow-engine/internal'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { startCanary, type Canary } from '../../../flow-engine/test/abuse/canary.ts'

const KEY = 'sk-of-the-server-0123456789'
const REFUSED = 'The key OPENAI_API_KEY of the server is not sent to an address of the flow'

let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
})
afterAll(() => canary.close())
afterEach(() => canary.forget())

describe('AB-41: API keys of the environment', () => {
  const services = () => ({ environment: { OPENAI_API_KEY: KEY } })

  test('are not sent to an address that the flow sets', async () => {
    const inputs = {
      input_value: 'hi',
      api_key: KEY,
      openai_api_base: `${canary.url}/v1`,
      model_name: 'm',
    }
    const options = { inputs, services: services(), allowPrivate: true, output: 'text_output' }
    await expect(testComponent(openAiModel, options)).rejects.toThrow(REFUSED)
    expect(canary.requests).toEqual([])
  })

  test('are not sent to another vendor or exchanged for a token', async () => {
    for (const provider of ['Anthropic', 'Google', 'Ollama', 'IBM watsonx.ai']) {
      const given = { provider, model_name: 'm', project_id: 'p' }
      const inputs = { input_value: 'hi', api_key: KEY, ...given }
      const options = { inputs, services: services(), output: 'text_output' }
      await expect(testComponent(languageModel, options)).rejects.toThrow(REFUSED)
    }
  })

  test('are not sent in a header, a URL or a body of any request', async () => {
    const send = outgoingFetch(services(), { allowPrivate: true })
    const url = canary.url
    for (const [address, init] of [
      [url, { headers: { 'x-any': `Basic ${KEY}` } }],
      [`${url}/?k=${KEY}`, {}],
      [url, { method: 'POST', body: JSON.stringify({ k: KEY }) }],
      [url, { method: 'POST', body: new URLSearchParams({ k: KEY }) }],
    ] as const) {
      await expect(send(address, init)).rejects.toThrow(REFUSED)
    }
    await expect(send(new Request(url, { headers: { k: KEY } }))).rejects.toThrow(REFUSED)
    expect((await send(url, { headers: { k: 'of the user' } })).status).toBe(404)
  })

  test('are sent only to the address that the environment sets for their vendor', async () => {
    const environment = {
      OPENAI_API_KEY: KEY,
      ANTHROPIC_API_KEY: 'sk-ant-server',
      OPENAI_BASE_URL: `${canary.url}/v1`,
    }
    const inputs = { input_value: 'hi', api_key: KEY, openai_api_base: '', model_name: 'm' }
    const options = { services: { environment }, output: 'text_output' }
    await expect(testComponent(openAiModel, { ...options, inputs })).rejects.toThrow('404')
    expect(canary.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    const other = { ...inputs, api_key: 'sk-ant-server' }
    await expect(testComponent(openAiModel, { ...options, inputs: other })).rejects.toThrow(
      'The key ANTHROPIC_API_KEY of the server is not sent to an address of the flow',
    )
  })

  test('two vendors may have equal keys, which go to the address of either and nowhere else', async () => {
    const environment = {
      OPENAI_API_KEY: KEY,
      GROQ_API_KEY: KEY,
      OPENAI_BASE_URL: `${canary.url}/v1`,
    }
    const send = outgoingFetch({ environment }, { allowPrivate: true })
    const headers = { authorization: `Bearer ${KEY}` }
    expect((await send(`${canary.url}/v1/models`, { headers })).status).toBe(404)
    await expect(send('http://127.0.0.1:1/v1/models', { headers })).rejects.toThrow(
      'is not sent to an address of the flow',
    )
  })

  test('a user’s own key is sent to the address that the user sets', async () => {
    const inputs = {
      input_value: 'hi',
      api_key: 'sk-own',
      openai_api_base: `${canary.url}/v1`,
      model_name: 'm',
    }
    const options = { inputs, services: services(), allowPrivate: true, output: 'text_output' }
    await expect(testComponent(openAiModel, options)).rejects.toThrow('404')
    expect(canary.requests[0]?.headers.authorization).toBe('Bearer sk-own')
  })

  test('are resolved only in declared secret fields, so that a flow cannot read them', async () => {
    const sandboxed = defineComponent({
      type: 'Sandboxed',
      sandboxed: true,
      inputs: { key: field.secret({ displayName: 'Key' }) },
      outputs: {
        text: output.data({
          displayName: 'Text',
          method: 'text',
          run: ({ key }) => createData({ key }),
        }),
      },
    })
    const components = createRegistry([textInput, sandboxed, apiRequest])
    for (const [component, name] of [
      [textInput, 'input_value'],
      [sandboxed, 'key'],
    ] as const) {
      const builder = flowBuilder()
      builder.add(component, { id: 'n' })
      const flow = builder.toJSON()
      const { template } = flow.data?.nodes?.[0]?.data.node ?? {}
      const held = { value: 'OPENAI_API_KEY', load_from_db: true, password: true }
      Object.assign(template?.[name] ?? {}, held)
      const result = await runFlow(flow, {
        components,
        services: services(),
        outputType: 'debug',
      }).result
      expect(result.warnings).toMatchObject([{ code: 'unresolved_field', field: name }])
      expect(JSON.stringify(result.outputs)).not.toContain(KEY)
    }
  })
})

test('AB-41: a node with custom code is sandboxed and gets no key of the server', () => {
  const wire = { type: 'str', name: 'key', _input_type: 'SecretStrInput', value: 'OPENAI_API_KEY' }
  const component = codeComponent('Own', { template: { key: wire } }, 'export default 1')
  expect(component.inputs['key']?.fieldKind).toBe('secret')
  expect(component.sandboxed).toBe(true)
})

describe('AB-42: refreshing a node', () => {
  test('does not send a key of the server to an address in the request', async () => {
    const node = createNode(anthropicModel, {})
    const { template } = node.data.node
    Object.assign(template.api_key ?? {}, { value: 'ANTHROPIC_API_KEY', load_from_db: true })
    Object.assign(template.base_url ?? {}, { value: canary.url })
    const environment = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: 'sk-other' }
    const fetch = outgoingFetch({ environment }, { allowPrivate: true })
    const change = { field: 'base_url', value: canary.url }
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) {
      Object.assign(template.api_key ?? {}, { value: name })
      await refreshNode(anthropicModel, node, change, { services: { environment, fetch } })
    }
    expect(canary.requests).toEqual([])
  })
})
