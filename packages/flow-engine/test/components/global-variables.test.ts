import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { chatOutput, languageModel, textInput, textOutput } from '@x/flow-engine/components'
import { createRegistry, runFlow, type RunOptions } from '@x/flow-engine'
import { collectEvents, createScriptedModel, flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry([languageModel, chatOutput, textInput, textOutput])

/** A text field that names a variable, and what shows it. */
function named(name: string, loadFromDb = true) {
  const flow = flowBuilder()
  flow.add(textInput, { id: 'TextInput-1', values: { input_value: name } })
  flow.add(textOutput, { id: 'TextOutput-1' })
  flow.connect('TextInput-1.text', 'TextOutput-1.input_value')
  const json = flow.toJSON()
  const template = json.data?.nodes?.[0]?.data.node.template ?? {}
  Object.assign(template.input_value ?? {}, { load_from_db: loadFromDb })
  return json
}

async function seen(options: RunOptions, flow = named('CITY')) {
  const run = runFlow(flow, { components, flowId: 'flow-1', outputType: 'text', ...options })
  const result = await run.result
  return { result, value: result.vertices.get('TextOutput-1')?.outputs.text, run }
}

describe('global variables (CO-13)', () => {
  test('CO-13, FE-20: a field with load_from_db holds a name; variables of the request, the user and the environment are tried in order', async () => {
    const asked: unknown[] = []
    const variables = {
      get: async (name: string, scope: object) => {
        asked.push([name, scope])
        return name === 'CITY' ? 'Rome' : null
      },
    }
    const services = { variables, environment: { CITY: 'Bonn', RIVER: 'Rhine' } }
    const { value } = await seen({ services, userId: 'ada' })
    expect(value).toMatchObject({ text: 'Rome' })
    expect(asked).toEqual([['CITY', { userId: 'ada', flowId: 'flow-1' }]])
    const own = await seen({ services, variables: { CITY: 'Oslo' } })
    expect(own.value).toMatchObject({ text: 'Oslo' })
    // Whether the value may be shown depends on the stored variable of that name (FF-32).
    expect(asked).toHaveLength(2)
    expect((await seen({ services }, named('RIVER'))).value).toMatchObject({ text: 'Rhine' })
  })

  test('CO-13: without load_from_db the text is the value itself', async () => {
    const services = { environment: { CITY: 'Bonn' } }
    expect((await seen({ services }, named('CITY', false))).value).toMatchObject({ text: 'CITY' })
  })

  test('CO-13: a key typed in place of a variable name appears in no error, warning or cause', async () => {
    const key = 'sk-proj-AbC1dEf2GhI3jKl4'
    for (const text of [key, 'AKIAIOSFODNN7EXAMPLE', 'correct horse', `A${'A'.repeat(64)}`]) {
      const without = await seen(
        { services: { variables: { get: async () => null } } },
        named(text),
      )
      expect(without.result.error?.detail).toMatch(
        /\n\nThe variable that Text names was not found\.$/,
      )
      const beside = await seen({ services: { environment: {} } }, named(text))
      expect(beside.result.warnings).toMatchObject([{ code: 'unresolved_field' }])
      for (const { result, run } of [without, beside]) {
        const shown = [result.error, result.error?.cause, result.warnings, await collectEvents(run)]
        expect(inspect(shown, { depth: null })).not.toContain(text)
      }
    }
  })

  test('CO-13: an unknown name fails the vertex, unless there is an environment to fall back to', async () => {
    const { result, run } = await seen({ services: { variables: { get: async () => null } } })
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'variable_not_found', vertexId: 'TextInput-1' },
    })
    expect(result.error?.detail).toMatch(/\n\nCITY variable not found\.$/)
    const events = await collectEvents(run)
    expect(events.map(({ event }) => event)).toEqual([
      'vertices_sorted',
      'error',
      'end_vertex',
      'end',
    ])
    const empty = await seen({ services: { environment: {} } })
    expect(empty.value).toMatchObject({ text: '' })
  })

  test('CO-13, FE-9: names of Object.prototype are not variables', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { value } = await seen({ variables: {}, services: { environment: {} } }, named(name))
      expect(value).toMatchObject({ text: '' })
    }
  })

  test('CO-13, FE-23: a tweak can name a variable', async () => {
    const tweaks = { 'TextInput-1': { input_value: { value: 'CITY', load_from_db: true } } }
    const services = { environment: { CITY: 'Bonn' } }
    const { value } = await seen({ services, tweaks }, named('plain', false))
    expect(value).toMatchObject({ text: 'Bonn' })
  })

  test.each([
    ['without any variables', {}],
    ['beside other variables', { services: { environment: { OTHER: 'x' } } }],
  ])('FE-23: a text in a tweak that names no variable is the value itself, %s', async (_, more) => {
    const literal = { 'TextInput-1': { input_value: 'sk-literal' } }
    const byKey = { 'TextInput-1': { input_value: { value: 'sk-literal' } } }
    const forAll = { input_value: 'sk-literal' }
    for (const tweaks of [literal, byKey, forAll]) {
      const { value } = await seen({ ...more, tweaks }, named('CITY'))
      expect(value).toMatchObject({ text: 'sk-literal' })
    }
  })

  test('FE-23: a text in a tweak that names a variable of this run resolves to that variable', async () => {
    const tweaks = { 'TextInput-1': { input_value: 'TOWN' } }
    const services = { environment: { TOWN: 'Bonn' } }
    expect((await seen({ services, tweaks }, named('CITY'))).value).toMatchObject({ text: 'Bonn' })
    const given = { variables: { TOWN: 'Rom' }, tweaks }
    expect((await seen(given, named('CITY'))).value).toMatchObject({ text: 'Rom' })
  })

  test('FE-23: a tweak that sets load_from_db takes precedence', async () => {
    const set = (load: boolean) => ({
      'TextInput-1': { input_value: { value: 'TOWN', load_from_db: load } },
    })
    const services = { environment: { TOWN: 'Bonn' } }
    const plain = await seen({ services, tweaks: set(false) }, named('CITY'))
    expect(plain.value).toMatchObject({ text: 'TOWN' })
    const missing = await seen({ services: { environment: {} }, tweaks: set(true) }, named('CITY'))
    expect(missing.value).toMatchObject({ text: '' })
  })

  test('CO-13: the key of a model is declared as a variable and is passed to the model', async () => {
    const flow = flowBuilder()
    const id = flow.add(languageModel, { values: { input_value: 'hi', api_key: 'MY_KEY' } })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.connect(`${id}.text_output`, 'ChatOutput-1.input_value')
    const keys: unknown[] = []
    const models = {
      chatModel: ({ apiKey }: { apiKey?: string }) => (
        keys.push(apiKey),
        createScriptedModel(['hello'])
      ),
      embedder: () => {
        throw new RangeError('not asked')
      },
    }
    const services = { models, environment: { MY_KEY: 'sk-of-the-host' } }
    const run = runFlow(flow.toJSON(), { components, services })
    expect((await run.result).text()).toBe('hello')
    expect(keys).toEqual(['sk-of-the-host'])
  })
})
