import { describe, expect, test } from 'vitest'
import { calculator, chatInput, languageModel, promptTemplate } from '@x/flow-engine/components'
import { file } from '@x/flow-components'
import { promptVariables } from '@x/flow-engine/internal'
import { createNode } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { refreshDetails } from '@x/flow-engine/internal'
import { refreshNode } from '@x/flow-engine'
import type { RefreshContext } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

describe('createRegistry (FE-42)', () => {
  test('a node is resolved by type, then module, then alias, then by the host', () => {
    const registry = createRegistry([promptTemplate, chatInput], {
      resolveUnknown: ({ data }) => (data.type === 'Hosted' ? calculator : undefined),
    })
    const node = (type: string, module?: string) => {
      const made = createNode(chatInput)
      const details = { ...made.data.node, metadata: module === undefined ? {} : { module } }
      return { ...made, data: { ...made.data, type, node: details } }
    }

    expect(registry.resolve(node('ChatInput'))).toBe(chatInput)
    expect(registry.resolve(node('Renamed', promptTemplate.module))).toBe(promptTemplate)
    expect(registry.resolve(node('Prompt'))).toBe(promptTemplate)
    expect(registry.resolve(node('Hosted'))).toBe(calculator)
    expect(registry.resolve(node('__proto__'))).toBeUndefined()
  })

  test('a later component replaces an earlier one of the same type, in its position', () => {
    const mine = { ...chatInput, displayName: 'Mine' }
    const registry = createRegistry([chatInput, calculator]).extend([mine])

    expect([...registry].map(({ displayName }) => displayName)).toEqual(['Mine', 'Calculator'])
    expect(registry.catalogue().input_output?.ChatInput?.display_name).toBe('Mine')
  })
})

describe('refreshNode (FE-47)', () => {
  test('sets the value of the field and does not change the given node', async () => {
    const node = createNode(chatInput, { values: { input_value: 'old', files: ['a.txt'] } })
    const before = JSON.stringify(node)

    const after = await refreshNode(chatInput, node, { field: 'input_value', value: 'new' })

    expect(JSON.stringify(node)).toBe(before)
    expect(after.data.node.template.input_value?.value).toBe('new')
    expect(after.data.node.template.files).toMatchObject({ file_path: ['a.txt'], value: '' })
  })

  test('tool mode has one output and a row for each action, keeps edits, and can be undone', async () => {
    const on = { field: 'tool_mode', value: true, toolMode: true }
    const first = await refreshNode(calculator, createNode(calculator), on)
    const metadata = first.data.node.template.tools_metadata
    expect(first.data.node.outputs).toMatchObject([
      { name: 'component_as_tool', display_name: 'Toolset', types: ['Tool'], method: 'to_toolkit' },
    ])
    expect(metadata).toMatchObject({
      display_name: 'Actions',
      type: 'tools',
      tool_mode: false,
      value: [
        {
          name: 'evaluate_expression',
          tags: ['evaluate_expression'],
          status: true,
          args: { expression: { title: 'Expression', type: 'string' } },
        },
      ],
    })

    const [row] = (metadata?.value ?? []) as Record<string, unknown>[]
    const edited = { ...metadata, value: [{ ...row, name: 'sum', status: false }] }
    first.data.node.template.tools_metadata = edited
    const again = await refreshNode(calculator, first, on)
    expect(again.data.node.template.tools_metadata?.value).toMatchObject([
      { name: 'sum', tags: ['evaluate_expression'], status: false },
    ])

    const off = await refreshNode(calculator, again, { ...on, value: false, toolMode: false })
    expect(off.data.node.template).not.toHaveProperty('tools_metadata')
    expect(off.data.node.outputs).toMatchObject([{ name: 'result' }])
  })

  test('FE-47: tool mode follows its field and stays on when another field changes', async () => {
    const on = await refreshNode(calculator, createNode(calculator), {
      field: 'tool_mode',
      value: true,
    })
    const changed = await refreshNode(calculator, on, { field: 'expression', value: '1+1' })
    for (const { data } of [on, changed]) {
      expect(data.node.tool_mode).toBe(true)
      expect(data.node.outputs).toMatchObject([{ name: 'component_as_tool' }])
    }
    const off = await refreshNode(calculator, changed, { field: 'tool_mode', value: false })
    expect(off.data.node).toMatchObject({ tool_mode: false, outputs: [{ name: 'result' }] })
  })

  test('FE-47: a component with its own tools also gets a list of actions', async () => {
    const on = await refreshNode(file, createNode(file), { field: 'tool_mode', value: true })
    expect(on.data.node.outputs).toMatchObject([{ name: 'component_as_tool' }])
    expect(on.data.node.template.tools_metadata).toMatchObject({ type: 'tools', is_list: true })
  })

  test('FE-47: a node without outputs gets the declared ones', async () => {
    const node = createNode(calculator)
    delete node.data.node.outputs
    const after = await refreshNode(calculator, node, { field: 'expression', value: '1' })
    expect(after.data.node.outputs).toMatchObject([{ name: 'result' }])
  })

  test('FE-47: details with the old value are refreshed with the new one, and the original is not changed', async () => {
    const changing = defineComponent({
      type: 'Changing',
      inputs: { text: field.text({}), other: field.text({}) },
      outputs: { out: output.message({ run: () => '' }) },
      refresh(template) {
        Object.assign(template.other ?? {}, { show: false })
      },
    })
    const details = createNode(changing, { values: { text: 'old' } }).data.node
    const before = JSON.stringify(details)

    const after = await refreshDetails(changing, details, { field: 'text', value: 'new' })

    expect(after.template).toMatchObject({ text: { value: 'new' }, other: { show: false } })
    expect(JSON.stringify(details)).toBe(before)
  })

  test('FE-47: the component gets the user and the values of the variables of the user', async () => {
    let seen: RefreshContext | undefined
    const asking = defineComponent({
      type: 'Asking',
      inputs: { key: field.secret({}), host: field.secret({}), none: field.secret({}) },
      outputs: { out: output.message({ run: () => '' }) },
      refresh(_template, _name, _value, ctx) {
        seen = ctx
      },
    })
    const values = { key: 'KEY', host: 'HOST', none: 'toString' }
    const { signal } = new AbortController()

    await refreshNode(
      asking,
      createNode(asking, { values }),
      { field: 'key', value: 'KEY' },
      {
        userId: 'u',
        signal,
        services: {
          variables: {
            get: async (name, { userId }) => (name === 'KEY' ? `key of ${userId}` : null),
          },
          environment: { HOST: 'host.test' },
        },
      },
    )

    expect(seen?.userId).toBe('u')
    expect(seen?.signal).toBe(signal)
    expect(await seen?.resolve('key')).toBe('key of u')
    expect(await seen?.resolve('host')).toBe('host.test')
    expect(await seen?.resolve('none')).toBeNull()
  })

  test('variables of a prompt get fields, removed ones lose theirs, kept ones keep their value (CO-33)', async () => {
    const change = (value: string) => ({ field: 'template', value })
    const first = await refreshNode(promptTemplate, createNode(promptTemplate), change('{a} {b}'))
    Object.assign(first.data.node.template.a ?? {}, { value: 'kept' })

    const second = await refreshNode(promptTemplate, first, change('{a} {c}'))

    expect(second.data.node.template.a).toMatchObject({ value: 'kept', input_types: ['Message'] })
    expect(second.data.node.template).not.toHaveProperty('b')
    expect(second.data.node.custom_fields).toEqual({ template: ['a', 'c'] })
  })

  test('a provider field is read through its variable, whose value is never written to the node', async () => {
    const asked: string[] = []
    const node = createNode(languageModel, { values: { ollama_base_url: 'OLLAMA' } })

    const after = await refreshNode(
      languageModel,
      node,
      { field: 'provider', value: 'Ollama' },
      {
        services: {
          variables: { get: async (name) => (name === 'OLLAMA' ? 'http://ollama.test/v1' : null) },
          async fetch(input) {
            asked.push(new Request(input).url)
            return Response.json({ models: [{ name: 'llama3' }] })
          },
        },
      },
    )

    expect(asked).toEqual(['http://ollama.test/api/tags'])
    expect(after.data.node.template.model_name).toMatchObject({
      options: ['llama3'],
      value: 'llama3',
    })
    expect(JSON.stringify(after)).not.toContain('ollama.test')
  })
})

describe('promptVariables (CO-33)', () => {
  test.for([
    ['each once, in order', 'a {x} {y} {x}', ['x', 'y']],
    ['doubled braces are literal', '{{x}} {{{y}}}', ['y']],
    ['format and conversion are no part of the name', '{n:05d} {m!r}', ['n', 'm']],
    ['an empty place is none', '{}', []],
    ['names of objects are plain names', '{__proto__} {constructor}', ['__proto__', 'constructor']],
  ] as const)('%s', ([, template, names]) => {
    expect(promptVariables(template)).toEqual(names)
  })

  test.for([
    ['a digit first', '{1a}', 'Error: Input variables contain invalid characters'],
    ['a dot', '{a.b}', 'Invalid variables: a.b'],
    ['a reserved name', '{code} {x}', 'None of the variables can be named code, x. '],
    ['an open brace', 'a {b', "expected '}' before end of string"],
    ['a closing brace', 'a } b', "Single '}' encountered in format string"],
    ['a brace at the end', 'a {', "Single '{' encountered in format string"],
  ] as const)('%s is refused', ([, template, text]) => {
    expect(() => promptVariables(template)).toThrow(text)
  })
})

describe('tools of components (CO-20 to CO-22)', () => {
  const component = defineComponent({
    type: 'Many',
    description: 'Does things.',
    inputs: {
      text: field.text({ toolMode: true, required: true, info: 'What.' }),
      count: field.int({ toolMode: true, default: 2 }),
      kind: field.dropdown({ toolMode: true, options: ['a', 'b'], default: 'a' }),
      hidden: field.text({ default: 'own' }),
    },
    outputs: {
      say: output.message({
        method: 'say it',
        run: ({ text, count, hidden }) => `${text.repeat(count)} ${hidden}`,
      }),
      rows: output.dataFrame({ run: () => [{ a: 1 }] }),
      fails: output.data({
        run() {
          throw new Error('not today')
        },
      }),
      silent: output.message({ toolMode: false, run: () => '' }),
    },
  })

  async function tools(inputs: Record<string, unknown> = {}): Promise<Tool[]> {
    const { value } = await testComponent(component, { output: 'component_as_tool', inputs })
    return value as Tool[]
  }
  const { signal } = new AbortController()

  test('there is one for each output in tool mode, with arguments from the inputs in tool mode', async () => {
    const [first, ...others] = await tools()
    expect(first).toMatchObject({
      name: 'say-it',
      tags: ['say-it'],
      description: 'Does things.',
      parameters: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', description: 'What.' },
          count: { type: 'integer', default: 2 },
          kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
        },
      },
    })
    expect(others.map(({ name }) => name)).toEqual(['rows', 'fails'])
  })

  test('arguments override the values of the node; undeclared ones are ignored', async () => {
    const [say] = await tools({ hidden: 'mine', count: 1 })
    expect(await say?.call({ text: 'x', hidden: 'stolen' }, { signal })).toBe('x mine')
    expect(await say?.call({ text: 'x', count: '3' }, { signal })).toBe('xxx mine')
  })

  test('CO-20: without inputs in tool mode all inputs except secrets are arguments; a handle only while it is not connected', async () => {
    const plain = defineComponent({
      type: 'Plain',
      inputs: {
        rows: field.handle({ types: ['Data'], required: true }),
        model: field.model({ displayName: 'Model' }),
        files: field.file({ list: true }),
        rate: field.float({ default: 0.5 }),
        more: field.dict({}),
        names: field.text({ list: true }),
        key: field.secret({ default: 'KEY' }),
      },
      outputs: { out: output.message({ run: () => '' }) },
    })
    const parameters = async (inputs: Record<string, unknown>): Promise<object> => {
      const { value } = await testComponent(plain, { output: 'component_as_tool', inputs })
      return (value as Tool[])[0]?.parameters ?? {}
    }
    expect(await parameters({})).toEqual({
      type: 'object',
      required: ['rows'],
      properties: {
        rows: { type: 'string', description: 'rows' },
        model: { type: 'string', description: 'Model', default: '' },
        files: { type: 'array', items: { type: 'string' }, description: 'files', default: '' },
        rate: { type: 'number', description: 'rate', default: 0.5 },
        more: { type: 'object', description: 'more', default: expect.anything() as unknown },
        names: { type: 'array', items: { type: 'string' }, description: 'names', default: '' },
      },
    })
    const plugged = await parameters({ rows: createData({ a: 1 }) })
    expect(plugged).not.toHaveProperty('required')
    expect(Object.keys((plugged as { properties: object }).properties)).toEqual([
      'model',
      'files',
      'rate',
      'more',
      'names',
    ])
  })

  test('CO-20: an output with required inputs that are not in tool mode cannot be a tool', async () => {
    const needy = defineComponent({
      type: 'Needy',
      displayName: 'Needy',
      inputs: { text: field.text({}) },
      outputs: { out: output.message({ requiredInputs: ['text'], run: () => '' }) },
    })
    await expect(testComponent(needy, { output: 'component_as_tool' })).rejects.toThrow(
      'Needy cannot be a tool: its inputs text are required but not in tool mode',
    )
  })

  test('results are returned as text for the model, exceptions as their message', async () => {
    const [, rows, fails] = await tools()
    expect(await rows?.call({ text: 'x' }, { signal })).toEqual([{ a: 1 }])
    expect(await fails?.call({ text: 'x' }, { signal })).toBe('not today')
  })

  test('CO-22: a cancelled call rejects instead of answering the model', async () => {
    const [, , fails] = await tools()
    const reason = new Error('enough')
    await expect(fails?.call({ text: 'x' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })

  test('FE-43: tool outputs and outputs that only some nodes have are not offered as tools', async () => {
    const mixed = defineComponent({
      type: 'Mixed',
      inputs: {},
      outputs: {
        plain: output.message({ run: () => '' }),
        tools: output.any({ types: ['Tool'], run: () => [] }),
        later: output.message({ dynamic: true, run: () => '' }),
      },
    })
    const { value } = await testComponent(mixed, { output: 'component_as_tool' })
    expect((value as Tool[]).map(({ name }) => name)).toEqual(['plain'])
  })

  test('FE-43: each call creates the component, prepares it and reads a streamed text to its end', async () => {
    async function* words(first: unknown) {
      yield `${String(first)} `
      yield 'call'
    }
    const streaming = defineComponent({
      type: 'Streaming',
      inputs: { text: field.text({ toolMode: true, default: 'no' }) },
      outputs: {
        out: output.message({
          run: (_inputs, ctx) => createMessage(words(ctx.state.get('first'))),
        }),
      },
      prepare({ text }, ctx) {
        ctx.state.set('first', ctx.state.has('first') ? 'not the first' : text)
      },
    })
    const { value } = await testComponent(streaming, { output: 'component_as_tool' })
    const [tool] = value as Tool[]
    expect(await tool?.call({ text: 'my' }, { signal })).toBe('my call')
    expect(await tool?.call(null, { signal })).toBe('no call')
    expect(await tool?.call(undefined, { signal })).toBe('no call')
    expect(await tool?.call(['my'], { signal })).toBe('The arguments of a tool must be an object')
  })

  test('FE-43: a thrown value that is not an Error answers the model with its text', async () => {
    const odd = defineComponent({
      type: 'Odd',
      inputs: {},
      outputs: { out: output.message({ run: () => Promise.reject('odd') }) },
    })
    const { value } = await testComponent(odd, { output: 'component_as_tool' })
    expect(await (value as Tool[])[0]?.call({}, { signal })).toBe('odd')
  })

  test('FE-43: the end of the run aborts a call that has a signal of its own', async () => {
    const run = new AbortController()
    const signals: AbortSignal[] = []
    const listening = defineComponent({
      type: 'Listening',
      inputs: {},
      outputs: { out: output.message({ run: (_, ctx) => (signals.push(ctx.signal), '') }) },
    })
    const options = { output: 'component_as_tool', signal: run.signal }
    const { value } = await testComponent(listening, options)
    await (value as Tool[])[0]?.call({}, { signal })
    run.abort(new Error('over'))
    expect(signals.map(({ reason }) => reason as unknown)).toEqual([new Error('over')])
  })

  test('FE-43: the tools of a custom component are edited like any other', async () => {
    const { value } = await testComponent(file, {
      output: 'component_as_tool',
      inputs: { tools_metadata: [{ tags: ['load_files_message'], name: 'read', status: true }] },
    })
    expect((value as Tool[]).map(({ name }) => name)).toEqual(['read'])
  })

  test('edits of the actions are applied by tag', async () => {
    const metadata = [
      { tags: ['say-it'], name: 'speak', description: 'Mine.', status: true },
      { tags: ['rows'], status: false },
    ]
    const edited = await tools({ tools_metadata: metadata })
    expect(edited.map(({ name, description }) => [name, description])).toEqual([
      ['speak', 'Mine.'],
      ['fails', 'Does things.'],
    ])
  })
})

describe('names of Object.prototype are plain names (FE-9)', () => {
  test('the values of a node can use them', () => {
    const values = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, unknown>
    const { template } = createNode(chatInput, { values }).data.node
    expect(Object.getOwnPropertyDescriptor(template, '__proto__')?.value).toMatchObject({
      value: 1,
    })
    expect(template.constructor).toMatchObject({ value: 2 })
    expect({}).not.toHaveProperty('value')
  })
})
