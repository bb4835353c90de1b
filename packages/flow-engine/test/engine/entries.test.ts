import { describe, expect, test } from 'vitest'
import { chatInput } from '../../src/components/built-in/input-output/chat-input.ts'
import { chatOutput } from '../../src/components/built-in/input-output/chat-output.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { textOutput } from '../../src/components/built-in/input-output/text-output.ts'
import { webhook } from '../../src/components/built-in/input-output/webhook.ts'
import { defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { failing, given, join, run, textOf } from './dependencies.ts'

/** Joins a text of its own, or what an edge brings, with its mark. */
const step = defineComponent({
  type: 'Step',
  inputs: {
    text: field.message({ displayName: 'Text' }),
    more: field.handle({ types: ['Message'] }),
    mark: field.text(),
  },
  outputs: {
    out: output.message({
      run: ({ text, more, mark }, ctx) => {
        if (ctx.build > 1) ctx.stop('out')
        return `${textOf(text)}${more === null ? '' : `(${textOf(more)})`}${mark}`
      },
    }),
  },
})

function ring(values: Record<string, unknown> = {}) {
  const flow = flowBuilder()
  flow.add(step, { id: 'Step-a', values: { mark: 'a', ...values } })
  flow.add(step, { id: 'Step-b', values: { mark: 'b' } })
  return flow.connect('Step-a.out', 'Step-b.text').connect('Step-b.out', 'Step-a.text')
}

const more = [step, webhook]

describe('entry points of a run (FE-11, FE-12, FE-15)', () => {
  test('FE-11, FE-15: a stop in a cycle enters it; the first build uses the value of its own field', async () => {
    const { ends, result } = await run(ring({ text: 'own' }).toJSON(), {
      more,
      stopComponentId: 'Step-a',
    })
    expect(ends).toEqual(['Step-a', 'Step-b', 'Step-a'])
    expect(result.text('Step-b')).toBe('ownab')
    expect(result.stalled).toEqual([])
  })

  test('FE-11: a stop outside of cycles starts no vertex after it', async () => {
    const flow = ring()
    flow.add(join, { id: 'Join-1' })
    flow.connect('Join-1.out', 'Step-a.more')
    const { ends } = await run(flow.toJSON(), { more, stopComponentId: 'Join-1', mode: 'build' })
    expect(ends).toEqual(['Join-1'])
  })

  test('FE-11: start applies within the part selected by stop', async () => {
    const flow = flowBuilder()
    for (const name of 'abcd') flow.add(join, { id: `Join-${name}` })
    flow
      .connect('Join-a.out', 'Join-b.texts')
      .connect('Join-b.out', 'Join-c.texts')
      .connect('Join-b.out', 'Join-d.texts')
    const { ends } = await run(flow.toJSON(), {
      stopComponentId: 'Join-c',
      startComponentId: 'Join-b',
    })
    expect(ends).toEqual(['Join-a', 'Join-b', 'Join-c'])
  })

  test('FE-12: if all vertices are in a cycle, its chat input starts, also in a build', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1', values: { input_value: 'hi' } })
    flow.add(step, { id: 'Step-a', values: { mark: 'a' } })
    flow
      .connect('ChatInput-1.message', 'Step-a.text')
      .connect('Step-a.out', 'ChatInput-1.input_value')
    const json = flow.toJSON()
    Object.assign(given(json.data?.edges?.[1]?.data?.targetHandle) as object, {
      inputTypes: ['Message'],
    })
    const { ends } = await run(json, { more, mode: 'build' })
    expect(ends.slice(0, 2)).toEqual(['ChatInput-1', 'Step-a'])
  })

  test('FE-12: mode run starts at the webhook, else at the chat input, else at every root', async () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1' })
    flow.add(webhook, { id: 'Webhook-1', values: { data: '{}' } })
    flow.add(join, { id: 'Join-chat' })
    flow.add(join, { id: 'Join-hook' })
    flow.add(join, { id: 'Join-alone' })
    flow
      .connect('ChatInput-1.message', 'Join-chat.texts')
      .connect('Webhook-1.output_data', 'Join-hook.texts')
    const ids = async (json: object) => (await run(json, { more })).ends.toSorted()
    const json = flow.toJSON()
    expect(await ids(json)).toEqual(['Join-hook', 'Webhook-1'])
    const without = (...gone: string[]) => ({
      nodes: json.data?.nodes?.filter(({ id }) => !gone.includes(id)),
      edges: json.data?.edges?.filter(({ source }) => !gone.includes(source)),
    })
    expect(await ids(without('Webhook-1'))).toEqual(['ChatInput-1', 'Join-chat'])
    expect(await ids(without('Webhook-1', 'ChatInput-1'))).toEqual([
      'Join-alone',
      'Join-chat',
      'Join-hook',
    ])
  })
})

describe('inputs of a request (FE-17, FE-20, FE-26)', () => {
  function talk() {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-1', displayName: 'Ask' })
    flow.add(textInput, { id: 'TextInput-1' })
    flow.add(chatOutput, { id: 'ChatOutput-1' })
    flow.add(textOutput, { id: 'TextOutput-1', displayName: 'ChatInput-1' })
    flow.connect('ChatInput-1.message', 'ChatOutput-1.input_value')
    flow.connect('TextInput-1.text', 'TextOutput-1.input_value')
    return flow.toJSON()
  }

  test('FE-17: in a build only chat inputs take the value and the files', async () => {
    const input = { value: 'v', files: ['flow/a.txt'] }
    const build = await run(talk(), { mode: 'build', input, startComponentId: 'ChatInput-1' })
    expect(build.result.text('ChatInput-1')).toBe('v')
    const whole = { ...input, type: 'any' as const }
    const both = await run(talk(), { input: whole, startComponentId: 'TextInput-1' })
    expect(both.result.text('TextInput-1')).toBe('v')
    const built = await run(talk(), {
      mode: 'build',
      input: whole,
      startComponentId: 'TextInput-1',
    })
    expect(built.result.text('TextInput-1')).toBe('')
    const message = build.result.vertices.get('ChatInput-1')?.outputs.message
    expect(message).toMatchObject({ files: ['flow/a.txt'] })
  })

  test('FE-17, FE-23: in a build the input type is any, so both the input and a tweak are allowed', async () => {
    const tweaks = { 'ChatInput-1': { input_value: 'tweak' } }
    const { result } = await run(talk(), { mode: 'build', input: 'v', tweaks })
    expect(result.text('ChatInput-1')).toBe('v')
  })

  test('FE-23: an input value for the text input excludes a tweak of it, also by display name', async () => {
    const input = { value: 'v', type: 'text' as const }
    for (const key of ['TextInput-1', 'My Text Input']) {
      const tweaks = { [key]: { input_value: 'x' } }
      await expect(run(talk(), { input, tweaks })).rejects.toMatchObject({
        code: 'invalid_request',
        detail:
          'If you pass an input_value to the text input, you cannot pass a tweak with the same name.',
      })
    }
    const tweaks = { 'ChatInput-1': { input_value: 'x' } }
    expect((await run(talk(), { input, tweaks })).result.status).toBe('succeeded')
  })

  test('FE-26: components are found by id and by display name; an id takes precedence', async () => {
    const took = async (components: string[]) => {
      const { result } = await run(talk(), { input: { value: 'v', components } })
      return result.text('ChatInput-1')
    }
    expect(await took(['ChatInput-1'])).toBe('v')
    expect(await took(['Ask'])).toBe('v')
    expect(await took(['TextInput-1'])).toBe('')
    const { result } = await run(talk(), { outputComponent: 'ChatInput-1' })
    expect(result.outputs.map(({ id }) => id)).toEqual(['ChatInput-1'])
  })

  test('FE-26: if no output matches the type all are reported, except failed ones', async () => {
    const flow = flowBuilder()
    flow.add(textInput, { id: 'TextInput-1', values: { input_value: 'x' } })
    flow.add(textOutput, { id: 'TextOutput-1' })
    flow.add(failing, { id: 'ChatOutput-bad' })
    flow.connect('TextInput-1.text', 'TextOutput-1.input_value')
    const ids = async (options: object) =>
      (await run(flow.toJSON(), { mode: 'build', ...options })).result.outputs.map(({ id }) => id)
    expect(await ids({ outputType: 'any' })).toEqual(['TextOutput-1'])
    expect(await ids({ outputType: 'chat' })).toEqual([])
    expect(await ids({ outputType: 'debug' })).toEqual(['TextInput-1', 'TextOutput-1'])
    const json = flow.toJSON()
    json.data = { ...json.data, nodes: given(json.data?.nodes).slice(0, 2) }
    const { result } = await run(json)
    expect(result.outputs.map(({ id }) => id)).toEqual(['TextOutput-1'])
  })

  test('FE-20: `stream` sets the field of that name, unless a tweak of that name is given', async () => {
    const talking = defineComponent({
      type: 'Talking',
      inputs: { stream: field.bool() },
      outputs: { out: output.message({ run: ({ stream }) => String(stream) }) },
    })
    const flow = flowBuilder()
    flow.add(talking, { id: 'Talking-1', values: { stream: false } })
    flow.add(talking, { id: 'Talking-2', values: { stream: true } })
    const streams = async (options: object) => {
      const { result } = await run(flow.toJSON(), { more: [talking], ...options })
      return ['Talking-1', 'Talking-2'].map((id) => result.text(id))
    }
    expect(await streams({})).toEqual(['false', 'true'])
    expect(await streams({ stream: true })).toEqual(['true', 'true'])
    expect(await streams({ stream: false })).toEqual(['false', 'false'])
    expect(await streams({ stream: true, tweaks: { stream: false } })).toEqual(['false', 'false'])
    expect(await streams({ stream: true, tweaks: { 'Talking-1': { stream: false } } })).toEqual([
      'true',
      'true',
    ])
  })

  test('FE-19: the flow id is that of the request, else of the flow, else a new one', async () => {
    const json = { ...talk(), id: 'own' }
    const idOf = async (flow: object, flowId?: string) =>
      (await run(flow, { flowId, sessionId: undefined })).result
    expect(await idOf(json, 'mine')).toMatchObject({ flowId: 'mine', sessionId: 'mine' })
    expect(await idOf(json)).toMatchObject({ flowId: 'own', sessionId: 'own' })
    expect((await idOf(talk())).flowId).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('fields (FE-21, FE-24, FE-30)', () => {
  const need = defineComponent({
    type: 'Need',
    inputs: {
      what: field.text({ required: true }),
      count: field.int(),
      link: field.handle({ types: ['Message'] }),
    },
    outputs: {
      out: output.message({
        run: (inputs) => JSON.stringify([inputs.what, inputs.count, inputs.link]),
      }),
    },
  })
  function needing(change: (template: Record<string, Record<string, unknown>>) => void) {
    const flow = flowBuilder()
    flow.add(need, { id: 'Need-1', values: { what: 'x' } })
    const json = flow.toJSON()
    change(json.data?.nodes?.[0]?.data.node.template as never)
    return run(json, { more: [need] })
  }

  test('FE-24: a required field that is hidden can be empty', async () => {
    const hidden = await needing((template) => {
      Object.assign(given(template.what), { value: '', show: false })
    })
    expect(hidden.result.text('Need-1')).toBe('["",null,null]')
    const shown = await needing((template) => {
      given(template.what).value = ''
    })
    expect(shown.result.error?.code).toBe('missing_input')
  })

  test('FE-24: null over an edge counts as given', async () => {
    const nothing = defineComponent({
      type: 'Nothing',
      inputs: {},
      outputs: { out: output.any({ types: ['Message'], run: () => null }) },
    })
    const flow = flowBuilder()
    flow.add(nothing, { id: 'Nothing-1' })
    flow.add(need, { id: 'Need-1' })
    flow.connect('Nothing-1.out', 'Need-1.what')
    const { result } = await run(flow.toJSON(), { more: [need, nothing] })
    expect(result.text('Need-1')).toBe('["",null,null]')
  })

  test('FE-21: a value that is not a number is kept; a handle without edge has no value', async () => {
    const odd = await needing((template) => {
      given(template.count).value = 'many'
    })
    expect(odd.result.error?.detail).toMatch(/count/i)
    const linked = await needing((template) => {
      given(template.link).value = 'typed in'
    })
    expect(linked.result.text('Need-1')).toBe('["x",null,null]')
  })

  test('FF-4: a required field whose edges are all dead has the value of the template, or its vertex does not run', async () => {
    const stops = defineComponent({
      type: 'Stops',
      inputs: {},
      outputs: {
        dead: output.message({
          run: (_inputs, ctx) => {
            ctx.stop('dead')
            return 'dead'
          },
        }),
        live: output.message({ run: () => 'live' }),
      },
    })
    const flow = flowBuilder()
    flow.add(stops, { id: 'Stops-1' })
    flow.add(need, { id: 'Need-1', values: { what: 'own' } })
    flow.add(need, { id: 'Need-2' })
    for (const id of ['Need-1', 'Need-2']) {
      flow.connect('Stops-1.dead', `${id}.what`).connect('Stops-1.live', `${id}.link`)
    }
    const { result } = await run(flow.toJSON(), { more: [need, stops], mode: 'build' })
    expect(result.text('Need-1')).toContain('"own"')
    expect(result.vertices.has('Need-2')).toBe(false)
    expect(result.status).toBe('succeeded')
  })

  test('FE-23: a tweak of a file field sets the path, whatever its key', async () => {
    const reading = defineComponent({
      type: 'Reading',
      inputs: { file: field.file() },
      outputs: { out: output.message({ run: ({ file }) => file.map(({ path }) => path).join() }) },
    })
    const flow = flowBuilder()
    flow.add(reading, { id: 'Reading-1' })
    for (const file of [
      'f/a.txt',
      { value: 'f/a.txt' },
      { file_path: 'f/a.txt' },
      { x: 'f/a.txt' },
    ]) {
      const { result } = await run(flow.toJSON(), {
        more: [reading],
        tweaks: { 'Reading-1': { file } },
      })
      expect(result.text('Reading-1')).toBe('f/a.txt')
    }
  })
})
