import { describe, expect, test } from 'vitest'
import { createData } from '../../graph/values/data.ts'
import { createDataFrame } from '../../graph/values/data-frame.ts'
import { createMessage } from '../../graph/values/message.ts'
import { defineComponent } from '../define/define.ts'
import { fieldValue, fieldValues } from './field-values.ts'
import { field, type Field } from '../define/field.ts'
import { output } from '../define/output.ts'

const options = {
  file: (path: string) => ({ path, name: path, read: async () => new Uint8Array() }),
}
const read = (definition: Field, raw: unknown): unknown => fieldValue('f', definition, raw, options)

async function* stream() {
  yield 'a'
  yield 'b'
}

describe('fieldValue (CO-10)', () => {
  test.for([
    ['text of a message', field.text(), createMessage('m'), 'm'],
    ['text of Data', field.text(), createData({ text: 't' }), 't'],
    ['text of an object', field.text(), { text: 'o' }, 'o'],
    ['no text', field.text(), null, ''],
    ['the default', field.text({ default: 'd' }), undefined, 'd'],
    ['an empty text is a value', field.text({ default: 'd' }), '', ''],
    ['texts of a list', field.text({ list: true }), ['a', createMessage('b')], ['a', 'b']],
    ['one value for a list', field.text({ list: true }), 'a', ['a']],
    ['an empty list', field.text({ list: true }), '', []],
    ['a secret may be null', field.secret(), null, null],
    ['a float for an int', field.int(), 3.9, 3],
    ['a negative float for an int', field.int(), -3.9, -3],
    ['a text for a number', field.float(), ' 2.5 ', 2.5],
    ['no number', field.int(), '', null],
    ['no number with a default', field.int({ default: 0 }), null, 0],
    ['words for true', field.bool(), 'Yes', true],
    ['words for false', field.bool(), 'off', false],
    ['an option in other letters', field.dropdown({ options: ['Aa'] }), ' aA ', 'Aa'],
    ['no choice', field.dropdown({ options: ['a'] }), '', ''],
    ['any text of an open choice', field.dropdown({ options: ['a'], combobox: true }), 'b', 'b'],
    ['any text of an open list', field.dropdown({ options: ['a'], closed: false }), 'b', 'b'],
    ['a choice that is filled later', field.dropdown({ options: ['a'], refresh: true }), 'b', 'b'],
    ['a choice without options', field.dropdown(), 'b', 'b'],
    ['an option of a tab', field.tab({ options: ['a'] }), 'a', 'a'],
    ['a merged list of objects', field.dict(), [{ a: 1 }, { b: 2 }], { a: 1, b: 2 }],
    ['rows of a frame', field.table(), createDataFrame([{ a: 1 }]), [{ a: 1 }]],
    ['one object as a row', field.table(), createData({ a: 1 }), [{ a: 1 }]],
    [
      'a chosen operation',
      field.sortableList(),
      [{ name: 'x', icon: 'i' }],
      [{ name: 'x', icon: 'i' }],
    ],
    ['nothing on a handle', field.handle(), undefined, null],
    ['an empty text on a handle', field.handle(), '', ''],
  ] as const)('%s', ([, definition, raw, value]) => {
    expect(read(definition, raw)).toEqual(value)
  })

  test('CO-10: a message field takes strings, objects and messages', () => {
    const object = { text: 'o', sender: 'User', further: 1 }
    const data = { further: 1 }
    expect(read(field.message(), object)).toMatchObject({ text: 'o', sender: 'User', data })
    expect(read(field.message(), 't')).toMatchObject({ text: 't', sender: null })
    const message = createMessage('m')
    expect(read(field.message(), message)).toBe(message)
    expect(read(field.message(), null)).toBeNull()
    expect(() => read(field.message(), 7)).toThrow('expects a message, got int')
  })

  test('CO-10: a message whose text is neither a string nor a stream is refused by name', () => {
    const message = createMessage({ text: 5 as unknown as string })
    expect(() => read(field.text(), message)).toThrow('expects text, got int')
  })

  test.for([
    [
      'a number for a text',
      field.text({ displayName: 'Name' }),
      5,
      'The input "Name" (f) expects text, got int',
    ],
    ['a list for a text', field.text(), ['a'], 'expects text, got list'],
    ['a word for a number', field.int(), 'x', 'expects a number, got str'],
    ['NaN for a number', field.float(), Number.NaN, 'expects a number, got float'],
    ['a word for a truth value', field.bool(), 'maybe', 'expects true or false'],
    ['no option of a tab', field.tab({ options: ['a'] }), 'b', 'unknown f "b". Known: a.'],
    ['no option of a dropdown', field.dropdown({ options: ['a', 'b'] }), 'c', 'Known: a, b.'],
    ['no option of many', field.multiselect({ options: ['a'] }), ['a', 'b'], 'unknown f "b"'],
    [
      'no operation',
      field.sortableList({ options: [{ name: 'Sort' }], aliases: { Order: 'Sort' } }),
      [{ name: 'Mix' }],
      'unknown f "Mix". Known: Sort, Order.',
    ],
    ['numbers in a multiselect', field.multiselect(), [1], 'expects a list of texts'],
    ['a text for a table', field.table(), 'x', 'expects a table'],
    ['no model', field.model(), {}, 'expects a language model'],
  ] as const)('%s is refused', ([, definition, raw, text]) => {
    expect(() => read(definition, raw)).toThrow(text)
  })

  test('an error about Data without its text key lists the keys it has', () => {
    expect(() => read(field.text(), createData({ a: 1, b: 2 }))).toThrow(
      "The input to 'f' must contain the key 'text'.You can set `text_key` to one of the following keys: a, b or set the value using another Component.",
    )
  })

  test('FF-41: options in other letters are taken in lists, and streamed options are checked', async () => {
    const operations = field.sortableList({ options: [{ name: 'Sort' }] })
    expect(read(operations, [{ name: 'sort ', icon: 'i' }])).toEqual([{ name: 'Sort', icon: 'i' }])
    expect(read(field.multiselect({ options: ['A'] }), ['a'])).toEqual(['A'])
    const choice = field.dropdown({ options: ['AB'] })
    expect(await read(choice, createMessage(stream()))).toBe('AB')
    const other = field.dropdown({ displayName: 'Kind', options: ['x'] })
    await expect(read(other, createMessage(stream()))).rejects.toThrow('unknown kind "ab"')
  })

  test('a streamed text is read before run, except for a stream field', async () => {
    const text = stream()
    expect(await read(field.text(), createMessage(stream()))).toBe('ab')
    expect(read(field.stream(), text)).toBe(text)
  })

  test('paths become file references', () => {
    expect(read(field.file({ list: true }), ['a.txt', '', null])).toMatchObject([{ path: 'a.txt' }])
  })
})

describe('fieldValues (FE-46)', () => {
  const component = defineComponent({
    type: 'C',
    inputs: { text: field.text(), n: field.int({ default: 2 }) },
    outputs: { out: output.message({ run: ({ text, n }) => text.repeat(n) }) },
  })

  test('unknown names are passed on, defaults are filled in', () => {
    const raw = JSON.parse('{"text": "x", "variable": 1, "__proto__": 2}') as Record<
      string,
      unknown
    >
    const values = fieldValues(component, raw, options)
    expect(Object.entries(values)).toEqual([
      ['variable', 1],
      ['__proto__', 2],
      ['text', 'x'],
      ['n', 2],
    ])
  })

  test('returns a promise only when a stream has to be read', async () => {
    expect(fieldValues(component, { text: 'x' }, options)).not.toBeInstanceOf(Promise)
    const values = await fieldValues(component, { text: createMessage(stream()) }, options)
    expect(values).toMatchObject({ text: 'ab' })
  })
})
