import { describe, expect, test } from 'vitest'
import { defineComponent, field, output, type ComponentServices } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { run } from './kit.ts'

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
})
