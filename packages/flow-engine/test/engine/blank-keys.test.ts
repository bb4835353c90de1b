import { describe, expect, test } from 'vitest'
import {
  checkFlow,
  createRegistry,
  defineComponent,
  field,
  output,
  type ComponentServices,
} from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { run } from './dependencies.ts'

const keyed = (type: string, displayName: string) =>
  defineComponent({
    type,
    displayName,
    inputs: {
      api_key: field.secret({ displayName: 'API Key', required: true }),
      base_url: field.text({ displayName: 'Address' }),
    },
    outputs: {
      out: output.any({
        types: ['Data'],
        run: ({ api_key }) => ({ used: Array.from(api_key ?? '').join('.') }),
      }),
    },
  })

/** Called like a vendor's component, so that its key has a usual name. */
const model = keyed('OpenAIModel', 'Model')
const other = keyed('Other', 'Other')

async function used(
  values: object,
  services: ComponentServices,
  more: { variables?: Record<string, string>; loads?: boolean; of?: typeof model } = {},
) {
  const flow = flowBuilder()
  const { variables = {}, loads = false, of = model } = more
  flow.add(of, { id: 'Model-1', values: { ...values } })
  const json = flow.toJSON()
  Object.assign(json.data?.nodes?.[0]?.data.node.template.api_key ?? {}, { load_from_db: loads })
  const { result } = await run(json, { more: [of], services, variables, userId: 'ada' })
  if (result.error !== undefined)
    return result.error.detail.replace(/^Error building Component \w+: \s*/, '')
  const out: unknown = result.vertices.get('Model-1')?.outputs['out']
  return (out as { used: string }).used.replaceAll('.', '')
}

const stored = (values: Record<string, string>, forField: string | null = null) => ({
  get: async (name: string) => values[name] ?? null,
  forField: async (name: string) => (name === 'API Key' ? forField : null),
})

describe('blank keys', () => {
  test('FF-20: the first of node, default fields, usual name and environment', async () => {
    const environment = { OPENAI_API_KEY: 'from-env' }
    const both = stored({ OPENAI_API_KEY: 'usual', MINE: 'kept' }, 'MINE')
    expect(await used({ api_key: 'own' }, { variables: both, environment })).toBe('own')
    expect(await used({}, { variables: both, environment })).toBe('kept')
    const one = stored({ OPENAI_API_KEY: 'usual' })
    expect(await used({}, { variables: one, environment })).toBe('usual')
    const header = { variables: { OPENAI_API_KEY: 'header' } }
    expect(await used({}, { variables: one, environment }, header)).toBe('header')
    const empty = { variables: { OPENAI_API_KEY: '' } }
    expect(await used({}, { variables: one, environment }, empty)).toBe('usual')
    expect(await used({}, { variables: stored({}), environment })).toBe('from-env')
  })

  test('FF-22: without any the error names the variable, and one that the node names first', async () => {
    const needs =
      'Component Model needs API Key. Give it in the node or as the variable OPENAI_API_KEY.'
    expect(await used({}, {})).toBe(needs)
    expect(await used({ api_key: 'LOST_KEY' }, {}, { loads: true })).toBe(
      `LOST_KEY variable not found. ${needs}`,
    )
    expect(
      await used(
        { api_key: 'LOST_KEY' },
        { variables: stored({ OPENAI_API_KEY: 'usual' }) },
        { loads: true },
      ),
    ).toBe('usual')
    expect(await used({}, {}, { of: other })).toBe(
      'Component Other needs API Key. Give it in the node.',
    )
  })

  test('FF-24: a key that was looked up goes to the vendor, or where the user says', async () => {
    const environment = { OPENAI_API_KEY: 'from-env' }
    const mine = { variables: stored({ OPENAI_API_KEY: 'usual' }), environment }
    const evil = { base_url: 'https://evil.example/v1' }
    const refused =
      'Component Model needs API Key for the address evil.example. Give it in the node, or choose the variable OPENAI_API_KEY there.'
    expect(await used(evil, mine)).toBe(refused)
    expect(await used(evil, { environment })).toBe(refused)
    expect(await used({ base_url: 'https://api.openai.com/v1' }, mine)).toBe('usual')
    expect(await used({ ...evil, api_key: 'OPENAI_API_KEY' }, mine, { loads: true })).toBe('usual')
  })

  test('FF-20: a component of a host names the variable itself', async () => {
    const own = defineComponent({
      type: 'Acme',
      inputs: { key: field.secret({ displayName: 'Key', required: true, variable: 'ACME_KEY' }) },
      outputs: {
        out: output.any({
          types: ['Data'],
          run: ({ key }) => ({ used: Array.from(key ?? '').join('.') }),
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(own, { id: 'Acme-1' })
    const ran = async (services: ComponentServices) =>
      (await run(flow.toJSON(), { more: [own], services, userId: 'ada' })).result
    const found = await ran({ variables: stored({ ACME_KEY: 'k-1' }) })
    expect(found.vertices.get('Acme-1')?.outputs['out']).toEqual({ used: 'k.-.1' })
    expect((await ran({})).error?.detail).toContain(
      'Component Acme needs Key. Give it in the node or as the variable ACME_KEY.',
    )
  })

  test('FF-20, FF-24: a blank address is that of the user or of the environment, and decides where keys go', async () => {
    const answering = defineComponent({
      type: 'AzureOpenAIModel',
      displayName: 'Azure',
      inputs: {
        azure_endpoint: field.text({ displayName: 'Azure Endpoint', required: true }),
        api_key: field.secret({ displayName: 'API Key' }),
      },
      outputs: {
        out: output.any({
          types: ['Data'],
          run: ({ azure_endpoint: address, api_key: key }) => ({ address, keyed: key !== null }),
        }),
      },
    })
    const ran = async (services: ComponentServices, values: object = {}) => {
      const flow = flowBuilder()
      flow.add(answering, { id: 'Azure-1', values: { ...values } })
      const more = { more: [answering], services, userId: 'ada' }
      const { result } = await run(flow.toJSON(), more)
      return result.error?.detail ?? result.vertices.get('Azure-1')?.outputs['out']
    }
    const theirs = { AZURE_OPENAI_ENDPOINT: 'https://a.example', AZURE_OPENAI_API_KEY: 'k-env' }
    const fromVariable = {
      isText: async () => true,
      ...stored({ AZURE_OPENAI_ENDPOINT: 'https://u.example' }),
    }
    expect(await ran({ environment: theirs })).toEqual({
      address: 'https://a.example',
      keyed: true,
    })
    expect(await ran({ variables: fromVariable, environment: theirs })).toEqual({
      address: 'https://u.example',
      keyed: false,
    })
    expect(await ran({ environment: theirs }, { azure_endpoint: 'https://n.example' })).toEqual({
      address: 'https://n.example',
      keyed: false,
    })
    expect(await ran({})).toContain(
      'Component Azure needs Azure Endpoint. Give it in the node or as the variable AZURE_OPENAI_ENDPOINT.',
    )
  })

  test('FF-22, FF-24: checkFlow names missing keys and settings, and keys that go elsewhere', () => {
    const components = createRegistry([model, other])
    const problems = (values: object, variables?: string[], loads = false) => {
      const flow = flowBuilder()
      flow.add(model, { id: 'Model-1', values: { ...values } })
      const json = flow.toJSON()
      const template = json.data?.nodes?.[0]?.data.node.template
      Object.assign(template?.api_key ?? {}, { load_from_db: loads })
      const found = checkFlow(json, { components, ...(variables && { variables }) })
      return found.map(({ code, severity, variable, host }) => ({ code, severity, variable, host }))
    }
    const missing = { code: 'missing_key', severity: 'warning', variable: 'OPENAI_API_KEY' }
    const evil = { base_url: 'https://evil.example/v1' }
    expect(problems({})).toEqual([])
    expect(problems({}, [])).toMatchObject([missing])
    expect(problems({}, ['OPENAI_API_KEY'])).toEqual([])
    expect(problems(evil, ['OPENAI_API_KEY'])).toMatchObject([missing])
    expect(problems({ api_key: 'sk-own' }, [])).toEqual([])
    expect(problems({ api_key: 'MINE' }, ['MINE'], true)).toEqual([])
    expect(problems({ api_key: 'MINE' }, [], true)).toMatchObject([missing])
    expect(problems({ ...evil, api_key: 'MINE' }, ['MINE'], true)).toMatchObject([
      { code: 'key_to_other_host', variable: 'MINE', host: 'evil.example' },
    ])
  })
})
