import { describe, expect, test } from 'vitest'
import { promptTemplate } from '@x/flow-engine/components'
import {
  promptVariables,
  updatePromptFields,
} from '../../src/components/built-in/models-and-agents/prompt-variables.ts'
import { createData } from '../../src/graph/values/data.ts'
import { createMessage, type Message } from '../../src/graph/values/message.ts'
import { testComponent } from '@x/flow-engine/testing'

const fill = async (template: string, values: object = {}): Promise<unknown> =>
  ((await testComponent(promptTemplate, { inputs: { template, ...values } })).value as Message).text

describe('Prompt Template (CO-33)', () => {
  test('CO-33: values are filled in as text, messages and data by their text, also in lists, null as None', async () => {
    const list = [createMessage('m'), createData({ text: 'd' }), 1]
    expect(await fill('{a}', { a: list })).toBe("['m', 'd', 1]")
    expect(
      await fill('{a}|{b}|{c}|{d}', { a: createMessage('m'), b: null, c: '{x}', d: 'ü😀' }),
    ).toBe('m|None|{x}|ü😀')
    expect(await fill('{{a}} {n:05d}', { n: 42, further: 'x' })).toBe('{a} 00042')
  })

  test('CO-33: attributes and indexes are refused, a variable without a value is an error', async () => {
    await expect(fill('{a.b}', { a: 'x' })).rejects.toThrow('only plain variable names are allowed')
    await expect(fill('{a[0]}', { a: ['x'] })).rejects.toThrow('only plain variable names')
    await expect(fill('{a}')).rejects.toThrow('The variable "a" has no value')
  })

  test('CO-33: a long text is filled in unchanged', async () => {
    const text = 'x'.repeat(1_000_000)
    expect(await fill('<{a}>', { a: text })).toBe(`<${text}>`)
  })

  test.each(Array.from(' ,.;?/\\()]', (sign) => [sign]))(
    'CO-33: %j is not allowed in the name of a variable',
    (sign) => {
      expect(() => promptVariables(`{a${sign}b}`)).toThrow(
        'Error: Input variables contain invalid characters or formats. \nInvalid variables: ',
      )
    },
  )

  test('CO-33: JSON with single braces is refused with the way to write it', () => {
    expect(() => promptVariables('Answer like {\n  "a": 1\n}')).toThrow(
      'Write braces that are text twice: {{ and }}.',
    )
    expect(promptVariables('Answer like {{\n  "a": {a}\n}}')).toEqual(['a'])
  })

  test('CO-33: indexes, colons and exclamation marks are not part of a name', () => {
    expect(() => promptVariables('{a[0]}')).toThrow('Invalid variables: a[0]')
    expect(promptVariables('{a:>5} {b!r}')).toEqual(['a', 'b'])
  })

  test.each([
    'code',
    'input_variables',
    'output_parser',
    'partial_variables',
    'template',
    'template_format',
    'validate_template',
  ])('CO-33: a variable cannot be named %s', (name) => {
    expect(() => promptVariables(`{a} {${name}}`)).toThrow(
      `Invalid input variables. None of the variables can be named a, ${name}. `,
    )
  })

  test('CO-33: the field of a new variable has these attributes', () => {
    const node = { template: {}, customFields: {} }
    expect(updatePromptFields(node, 'template', '{topic}')).toEqual({
      variables: ['topic'],
      customFields: { template: ['topic'] },
      template: {
        topic: {
          field_type: 'str',
          type: 'str',
          name: 'topic',
          display_name: 'topic',
          value: '',
          required: false,
          placeholder: '',
          list: false,
          show: true,
          multiline: true,
          fileTypes: [],
          file_path: '',
          advanced: false,
          input_types: ['Message'],
          dynamic: false,
          info: '',
          load_from_db: false,
          title_case: false,
        },
      },
    })
  })
})
