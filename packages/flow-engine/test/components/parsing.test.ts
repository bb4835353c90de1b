import { describe, expect, test } from 'vitest'
import { parser, structuredOutput } from '@x/flow-engine/components'
import { createData, type Data } from '../../src/graph/values/data.ts'
import { createDataFrame, type DataFrame } from '../../src/graph/values/data-frame.ts'
import { createMessage, type Message } from '../../src/graph/values/message.ts'
import { createScriptedModel, testComponent } from '@x/flow-engine/testing'

describe('ParserComponent (CO-36)', () => {
  const parsed = async (input_data: unknown, inputs: object = {}): Promise<unknown> =>
    ((await testComponent(parser, { inputs: { input_data, ...inputs } })).value as Message).text

  test('CO-36: makes one text for each row, joined by the separator', async () => {
    const frame = createDataFrame([{ text: 'a' }, { text: 'ü😀' }])
    expect(await parsed(frame)).toBe('Text: a\nText: ü😀')
    expect(await parsed(frame, { pattern: '{text}', sep: ' + ' })).toBe('a + ü😀')
    expect(await parsed(createDataFrame([], ['text']))).toBe('')
    await expect(parsed(frame, { pattern: '{none}' })).rejects.toThrow("Column 'none'")
  })

  test('CO-36: reads data by its keys, also an object that has data; missing keys are empty', async () => {
    expect(await parsed(createData({ text: 'x' }), { pattern: '{text}-{none}' })).toBe('x-')
    expect(await parsed({ data: { text: 'y' } })).toBe('Text: y')
    expect(await parsed(createData({ a: { b: [1.5] } }), { pattern: '{a[b][0]:.2f} {{x}}' })).toBe(
      '1.50 {x}',
    )
  })

  test('CO-36: lists and other values are refused with a clear error', async () => {
    await expect(parsed([createData({})])).rejects.toThrow('List of Data objects is not supported.')
    for (const value of ['text', 7, { a: 1 }]) {
      await expect(parsed(value)).rejects.toThrow(
        /^Unsupported input type: .*Expected DataFrame or Data\.$/,
      )
    }
  })

  test('CO-36, CO-6: every value can become text; tables in a list are cleaned on request', async () => {
    const stringify = (value: unknown, clean_data?: boolean) =>
      parsed(value, { mode: 'Stringify', ...(clean_data === undefined ? {} : { clean_data }) })
    const frame = createDataFrame([{ a: null }, { a: 'x' }])
    expect(await stringify(createData({ a: 1 }))).toBe('```json\n{\n  "a": 1\n}\n```')
    expect(await stringify('a\n  \n\n\nb')).toBe('a\n\nb')
    expect(await stringify([createMessage('a'), { k: [true, null] }])).toBe(
      "a\n{'k': [True, None]}",
    )
    expect(await stringify([frame], true)).toBe('| a   |\n|:----|\n| x   |')
    expect(await stringify([frame], false)).toBe(await stringify(frame))
    expect(await stringify(frame)).not.toBe('| a   |\n|:----|\n| x   |')
  })
})

describe('StructuredOutput (CO-37)', () => {
  const row = (name: string, type: string, multiple: unknown = 'False') => ({
    name,
    description: '',
    type,
    multiple,
  })
  const answer = (objects: unknown[], name = 'OutputModel') => ({
    toolCalls: [{ name, args: { objects } }],
  })
  const ask = async (
    script: Parameters<typeof createScriptedModel>[0],
    output_schema: object[],
    { output = 'structured_output', ...inputs }: Record<string, unknown> = {},
  ) => {
    const llm = createScriptedModel(script)
    const { value } = await testComponent(structuredOutput, {
      output: String(output),
      inputs: { llm, input_value: 'Facts.', system_prompt: 'Read.', output_schema, ...inputs },
    })
    return { value, llm }
  }

  test('CO-37: sends instructions, text and one required function', async () => {
    const { llm } = await ask([answer([{ a: 'x' }], 'Fact')], [row('a', 'str')], {
      schema_name: 'Fact',
    })
    expect(llm.requests[0]).toMatchObject({
      messages: [
        { role: 'system', content: 'Read.' },
        { role: 'user', content: 'Facts.' },
      ],
      toolChoice: 'Fact',
      tools: [
        {
          name: 'Fact',
          parameters: {
            properties: { objects: { type: 'array', minItems: 1 } },
            required: ['objects'],
          },
        },
      ],
    })
    const unnamed = await ask([answer([{ a: 'x' }])], [row('a', 'str')])
    expect(unnamed.llm.requests[0]).toMatchObject({ toolChoice: 'OutputModel' })
  })

  test.each([
    ['str', 'x', 'string'],
    ['text', 'x', 'string'],
    ['int', 7, 'integer'],
    ['float', 1.5, 'number'],
    ['number', 1.5, 'number'],
    ['bool', true, 'boolean'],
    ['boolean', false, 'boolean'],
    ['list', [1, 'a'], 'array'],
    ['dict', { k: 1 }, 'object'],
  ])('CO-37: a field can have the type %s', async (type, value, schemaType) => {
    const { value: data, llm } = await ask([answer([{ a: value }])], [row('a', type)])
    expect((data as Data).data).toEqual({ a: value })
    expect(llm.requests[0]?.tools?.[0]?.parameters).toMatchObject({
      $defs: { OutputModel: { properties: { a: { type: schemaType } }, required: ['a'] } },
    })
  })

  test.each([true, 'true', '1', 't', 'y', 'yes', 'YES'])(
    'CO-37: multiple %j is a list',
    async (multiple) => {
      const { value } = await ask([answer([{ a: ['1', 2] }])], [row('a', 'int', multiple)])
      expect((value as Data).data).toEqual({ a: [1, 2] })
    },
  )

  test('CO-37: one object becomes the data, several are listed as results; both become rows of the table', async () => {
    const schema = [row('a', 'str')]
    const two = [{ a: 'x' }, { a: 'y' }]
    expect(((await ask([answer(two)], schema)).value as Data).data).toEqual({ results: two })
    const frame = (await ask([answer(two)], schema, { output: 'dataframe_output' })).value
    expect((frame as DataFrame).rows).toEqual(two)
    for (const output of ['structured_output', 'dataframe_output']) {
      await expect(ask([answer([])], schema, { output })).rejects.toThrow(
        'No structured output returned',
      )
    }
  })

  test('CO-37: invalid values trigger the fallback; if that fails too, both errors are reported', async () => {
    const schema = [row('a', 'int')]
    const asked = await ask([answer([{ a: 1.5 }]), '{"objects": [{"a": "3"}]}'], schema)
    expect((asked.value as Data).data).toEqual({ a: 3 })
    expect(asked.llm.requests[1]).toMatchObject({ responseFormat: { name: 'OutputModel' } })
    await expect(ask([answer([{ a: 1.5 }]), 'no json'], schema)).rejects.toThrow(
      /^Model does not support tool calling \(trustcall failed\) and fallback with_structured_output also failed: /,
    )
  })

  test('CO-37: a missing field is invalid; the fallback schema allows no further fields', async () => {
    const schema = [row('a', 'int')]
    const { llm } = await ask([answer([{}]), '{"objects": [{"a": 3}]}'], schema)
    expect(llm.requests[1]?.responseFormat).toMatchObject({
      schema: { additionalProperties: false, required: ['objects'] },
    })
    await expect(ask([answer([{}]), '{"objects": [{}]}'], schema)).rejects.toThrow(
      'The model response lacks the field a',
    )
  })

  test('CO-37: a cancelled request is not retried by schema', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const llm = createScriptedModel(() => {
      stop.abort(reason)
      return 'no call'
    })
    const asked = testComponent(structuredOutput, {
      output: 'structured_output',
      inputs: { llm, input_value: 'Facts.', output_schema: [row('a', 'int')] },
      signal: stop.signal,
    })
    await expect(asked).rejects.toBe(reason)
    expect(llm.requests).toHaveLength(1)
  })

  test('CO-37: an unknown type, an empty schema and an invalid model are refused', async () => {
    await expect(ask([], [row('a', 'date')])).rejects.toThrow('Invalid type: date')
    await expect(ask([], [])).rejects.toThrow('Output schema cannot be empty')
    await expect(ask([], [row('a', 'str')], { llm: 'gpt' })).rejects.toThrow(
      'Language model does not support structured output.',
    )
  })
})
