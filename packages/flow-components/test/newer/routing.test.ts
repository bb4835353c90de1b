import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { guardrailValidator, smartRouter } from '@x/flow-engine/components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createRegistry, runFlow, type FlowJson } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import { createScriptedModel, flowBuilder, testComponent } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)
const routes = [
  { route_category: 'Praise', route_description: 'kind words', output_value: '' },
  { route_category: 'Blame', route_description: '', output_value: 'we are sorry' },
]
const asking = (answers: readonly string[]) => createScriptedModel([...answers])

/** The texts of the branches' chat outputs, by their ids. */
async function said(flow: FlowJson, services: ComponentServices): Promise<Record<string, string>> {
  const { outputs } = await runFlow(flow, { components, services, outputType: 'debug' }).result
  return Object.fromEntries(
    outputs.flatMap(({ id, outputs: values }) => {
      const message = values['text'] ?? values['message']
      return id.startsWith('Out') ? [[id, (message as Message).text as string]] : []
    }),
  )
}

describe('SmartRouter (MO-61)', () => {
  function routed(values: object = {}): FlowJson {
    const flow = flowBuilder()
    const given = { model: [{ name: 'm', provider: 'OpenAI' }], routes, input_text: 'so nice' }
    const router = flow.add('SmartRouter', { values: { ...given, ...values } })
    const ends = ['category_1_result', 'category_2_result']
    if ('enable_else_output' in values) ends.push('default_result')
    for (const [at, output] of ends.entries()) {
      flow.connect(
        `${router}.${output}`,
        `${flow.add('TextOutput', { id: `Out-${at}` })}.input_value`,
      )
    }
    return flow.toJSON()
  }

  test('OP-3: the tokens of the request are counted once', async () => {
    const usage = { inputTokens: 5, outputTokens: 1 }
    const models = createScriptedModel([{ text: 'Praise', usage }])
    const result = await runFlow(routed(), { components, services: { models } }).result
    expect(result.usage).toEqual(usage)
    expect([...result.vertexUsage.values()]).toEqual([usage])
  })

  test('MO-61: one request is sent; the branch of the named route passes the text on', async () => {
    const model = asking([' "praise". '])
    expect(await said(routed(), { models: model })).toEqual({ 'Out-0': 'so nice' })
    expect(model.requests).toHaveLength(1)
    const [{ content } = { content: '' }] = model.requests[0]?.messages ?? []
    expect(content).toContain('- Praise: kind words\n- Blame')
    expect(content).toContain('so nice')
  })

  test('MO-61: a route can have its own message, and the override replaces it', async () => {
    expect(await said(routed(), { models: asking(['Blame']) })).toEqual({ 'Out-1': 'we are sorry' })
    const override = routed({ message: 'override' })
    expect(await said(override, { models: asking(['Blame']) })).toEqual({ 'Out-1': 'override' })
  })

  test('MO-61: without a matching route every branch stops, or the else output continues', async () => {
    expect(await said(routed(), { models: asking(['NONE']) })).toEqual({})
    const withElse = routed({ enable_else_output: true })
    expect(await said(withElse, { models: asking(['NONE']) })).toEqual({ 'Out-2': 'so nice' })
    expect(await said(withElse, { models: asking(['I would say Praise']) })).toEqual({
      'Out-2': 'so nice',
    })
  })

  test('MO-61: instructions can contain the text and the routes', async () => {
    const model = asking(['Praise'])
    await said(routed({ custom_prompt: 'Of {routes} for {input_text}: be strict {x}' }), {
      models: model,
    })
    const content = model.requests[0]?.messages[0]?.content
    expect(content).toContain('- Blame for so nice: be strict {x}')
  })

  test('MO-61: the outputs of a node follow its routes', async () => {
    const change = { field: 'routes', value: [...routes, { route_category: 'Other' }] }
    const { data } = await refreshNode(smartRouter, createNode(smartRouter), change)
    expect(data.node.outputs?.map(({ name, display_name }) => [name, display_name])).toEqual([
      ['category_1_result', 'Praise'],
      ['category_2_result', 'Blame'],
      ['category_3_result', 'Other'],
    ])
  })

  test('MO-61: LLMRouterComponent resolves to a router only if it has routes', () => {
    const typeOf = (template: object) =>
      components.resolve({
        id: 'n',
        data: { type: 'LLMRouterComponent', node: { template: { ...template } } },
      })?.type
    expect(typeOf({ routes: { value: [] } })).toBe('SmartRouter')
    expect(typeOf({ models: {} })).toBeUndefined()
    const older = { id: 'n', data: { type: 'LLMRouterComponent', node: { template: {} } } }
    expect(components.whyUnknown(older)).toContain('chooses among models')
  })
})

describe('GuardrailValidator (MO-63)', () => {
  const given = {
    model: { name: 'm', provider: 'OpenAI', plain: false, reasons: false },
    input_text: 'some text',
    enabled_guardrails: ['PII', 'Jailbreak'],
  }
  const check = async (answers: readonly string[], inputs: object = {}) => {
    const model = asking(answers)
    const output = ['pass_result', 'failed_result', 'data_result']
    const { outputs, branches } = await testComponent(guardrailValidator, {
      inputs: { ...given, ...inputs, model },
      output,
    })
    const textOf = (name: string) => (outputs[name] as Message).text
    return {
      pass: textOf('pass_result'),
      failed: textOf('failed_result'),
      data: outputs['data_result'],
      stopped: [...new Set(branches.map(([, name]) => name))],
      requests: model.requests,
    }
  }

  test('MO-63: one request is sent for each check; a text that passes all of them continues', async () => {
    const made = await check(['NO', 'no.'])
    expect(made).toMatchObject({ pass: 'some text', failed: '', stopped: ['failed_result'] })
    expect(made.data).toMatchObject({ data: { passed: true, failed_check: null } })
    expect(made.requests).toHaveLength(2)
    expect(made.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(made.requests[0]?.messages[1]?.content).toBe('some text')
  })

  test('MO-63: the first failed check ends the checks', async () => {
    const made = await check(['**YES**, it does', 'NO'])
    expect(made).toMatchObject({ pass: '', failed: 'some text', stopped: ['pass_result'] })
    expect(made.data).toMatchObject({ data: { passed: false, failed_check: 'PII' } })
    expect(made.requests).toHaveLength(1)
  })

  test('MO-63: a custom check can be given', async () => {
    const made = await check(['YES'], {
      enabled_guardrails: [],
      enable_custom_guardrail: true,
      custom_guardrail_explanation: 'names of fruit',
    })
    expect(made.data).toMatchObject({ data: { failed_check: 'Custom' } })
    expect(made.requests[0]?.messages[0]?.content).toContain('names of fruit')
  })

  test('MO-63: empty input, no check, an unknown check and an invalid answer fail', async () => {
    await expect(check([], { input_text: ' ' })).rejects.toThrow('The input text is empty')
    await expect(check([], { enabled_guardrails: [] })).rejects.toThrow('No guardrail is selected')
    await expect(check([], { enabled_guardrails: ['Magic'] })).rejects.toThrow(
      'unknown guardrails "Magic". Known: PII, ',
    )
    await expect(check(['Perhaps'])).rejects.toThrow('neither YES nor NO to the check PII')
    const model = createScriptedModel([{ fail: new Error('down') }])
    const failing = testComponent(guardrailValidator, { inputs: { ...given, model } })
    await expect(failing).rejects.toThrow('down')
  })
})

describe('Listen and Notify (MO-62)', () => {
  function radio(append: boolean): FlowJson {
    const flow = flowBuilder()
    // Listen comes first in the file: only the key orders the two.
    const listen = flow.add('Listen', { values: { context_key: 'news' } })
    const quiet = flow.add('Listen', { id: 'Listen-quiet', values: { context_key: 'other' } })
    flow.connect(
      `${listen}.data`,
      `${flow.add('TypeConverterComponent', { id: 'Heard' })}.input_data`,
    )
    flow.connect(
      `${quiet}.data`,
      `${flow.add('TypeConverterComponent', { id: 'Quiet' })}.input_data`,
    )
    for (const [at, text] of ['first', 'second'].entries()) {
      const input = flow.add('TextInput', { id: `In-${at}`, values: { input_value: text } })
      const values = { context_key: 'news', append }
      const notify = flow.add('Notify', { id: `Notify-${at}`, values })
      flow.connect(`${input}.text`, `${notify}.input_value`)
    }
    return flow.toJSON()
  }
  const heard = async (flow: FlowJson) => {
    const { outputs, status, error } = await runFlow(flow, { components, outputType: 'debug' })
      .result
    expect([status, error]).toEqual(['succeeded', undefined])
    const byId = new Map(outputs.map(({ id, outputs: values }) => [id, values]))
    return byId
  }

  test('MO-62: Listen waits for the Notify with its key and gets its value; without one it returns an empty Data', async () => {
    const made = await heard(radio(false))
    expect(made.get('Listen-00001')?.['data']).toMatchObject({ text: 'second' })
    expect(made.get('Listen-quiet')?.['data']).toMatchObject({ data: {} })
    expect(made.get('Notify-0')?.['result']).toMatchObject({ text: 'first' })
  })

  test('MO-62: appended values become a list', async () => {
    const made = await heard(radio(true))
    const texts = new Set(
      (made.get('Listen-00001')?.['data'] as Message[] | undefined)?.map(({ text }) => text),
    )
    expect(texts).toEqual(new Set(['first', 'second']))
  })

  test('MO-62: a Listen before the Notify with its key does not wait for it', async () => {
    const flow = flowBuilder()
    const listen = flow.add('Listen', { values: { context_key: 'k' } })
    const notify = flow.add('Notify', { values: { context_key: 'k' } })
    flow.connect(`${listen}.data`, `${notify}.input_value`)
    const made = await heard(flow.toJSON())
    expect(made.get(listen)?.['data']).toMatchObject({ data: {} })
    expect(made.get(notify)?.['result']).toMatchObject({ data: {} })
  })

  test('MO-62: a Notify in a stopped branch contributes no value', async () => {
    const flow = flowBuilder()
    const router = flow.add('ConditionalRouter', {
      values: {
        input_text: 'a',
        match_text: 'b',
        operator: 'equals',
        true_case_message: createMessage('x'),
      },
    })
    const notify = flow.add('Notify', { values: { context_key: 'k' } })
    flow.connect(`${router}.true_result`, `${notify}.input_value`)
    const other = flow.add('Notify', { id: 'Notify-b', values: { context_key: 'k' } })
    const input = flow.add('TextInput', { values: { input_value: 'said' } })
    flow.connect(`${input}.text`, `${other}.input_value`)
    const listen = flow.add('Listen', { values: { context_key: 'k' } })
    const made = await heard(flow.toJSON())
    expect(made.has(notify)).toBe(false)
    expect(made.get(listen)?.['data']).toMatchObject({ text: 'said' })
  })
})

describe('SubFlow and FlowTool (MO-60)', () => {
  function shout(): FlowJson {
    const flow = flowBuilder('Shout')
    const input = flow.add('ChatInput', { id: 'ChatInput-in' })
    const prompt = flow.add('Prompt Template', { values: { template: '{text}!!', text: '' } })
    flow.connect(`${input}.message`, `${prompt}.text`)
    flow.connect(`${prompt}.prompt`, `${flow.add('ChatOutput')}.input_value`)
    return { ...flow.toJSON(), id: 'inner', description: 'Says it louder.' }
  }
  const services = { flows: { get: async (name: string) => (name === 'Shout' ? shout() : null) } }

  test('MO-60: SubFlow returns the results of the flow as Data', async () => {
    const flow = flowBuilder()
    const sub = flow.add('SubFlow', {
      values: { flow_name: 'Shout', 'ChatInput-in~input_value': 'hello' },
    })
    const json = flow.toJSON()
    const template =
      json.nodes?.[0]?.data.node.template ?? json.data?.nodes?.[0]?.data.node.template
    Object.assign(template ?? {}, {
      'ChatInput-in~input_value': { type: 'str', value: 'hello', name: 'x', show: true },
    })
    const { outputs } = await runFlow(json, { components, services, outputType: 'debug' }).result
    expect(outputs.find(({ id }) => id === sub)?.outputs['flow_outputs']).toMatchObject({
      data: { text: 'hello!!' },
    })
  })

  test('MO-60: FlowTool is a tool of an agent; with Return Direct its result is the answer', async () => {
    const asked = async (return_direct: boolean, answers: unknown[]) => {
      const flow = flowBuilder()
      const tool = flow.add('FlowTool', {
        values: { flow_name: 'Shout', tool_name: 'shout it', return_direct },
      })
      const agent = flow.add('Agent', { values: { input_value: 'Say hi', api_key: 'sk' } })
      flow.connect(`${tool}.api_build_tool`, `${agent}.tools`)
      const model = createScriptedModel(answers as never)
      const { outputs, error } = await runFlow(flow.toJSON(), {
        components,
        services: { ...services, models: model },
        outputType: 'debug',
      }).result
      expect(error).toBeUndefined()
      const answer = outputs.find(({ id }) => id === agent)?.outputs['response'] as Message
      return { text: answer.text, model }
    }
    const call = { toolCalls: [{ name: 'shout_it', args: { 'ChatInput-in_input_value': 'hi' } }] }
    const spoken = await asked(false, [call, 'It said hi!!'])
    expect(spoken.text).toBe('It said hi!!')
    expect(spoken.model.requests[0]?.tools?.find(({ name }) => name === 'shout_it')).toMatchObject({
      description: 'Says it louder.',
    })
    expect(spoken.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'hi!!',
    })
    const direct = await asked(true, [call])
    expect(direct.text).toBe('hi!!')
    expect(direct.model.requests).toHaveLength(1)
  })

  test('MO-60: a missing flow is named in the error', async () => {
    const flow = flowBuilder()
    flow.add('SubFlow', { values: { flow_name: 'Gone' } })
    const { error } = await runFlow(flow.toJSON(), { components, services }).result
    expect(error?.message).toContain("Flow 'Gone' not found")
  })
})
