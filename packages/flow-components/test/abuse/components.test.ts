import { expect, test } from 'vitest'
import { valueBytes, valueBytesSoon } from '../../../flow-engine/src/graph/values/value-size.ts'
import { readSchemaFields } from '../../../flow-engine/src/components/chat/structured-schema.ts'
import { builtinComponents } from '@x/flow-components'
import { createWorkBudget } from '@x/wire'
import { createRegistry, runFlow, type ComponentServices } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'

const MIB = 1024 * 1024
const registry = createRegistry(builtinComponents)

async function build(
  type: string,
  inputs: Record<string, unknown>,
  services: ComponentServices = createMemoryServices(),
) {
  const component = registry.get(type)
  if (component === undefined) throw new TypeError(type)
  const [output = ''] = Object.keys(component.outputs)
  return (await testComponent(component, { inputs, output, services })).value
}

const nested = (levels: number): object => {
  let value: object = { text: 'x' }
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

test('AB-29 a value nested 100,000 levels deep is refused by the name of its field', async () => {
  const data = createData({ text: nested(100_000) })
  const refused =
    'The input "Inputs" (input_value) has more than 1000 objects or lists inside one another'
  await expect(build('ChatOutput', { input_value: data })).rejects.toThrow(refused)
})

test.each(['Literal Eval', 'JQ Expression', 'Path Selection'])(
  'AB-29 %s names the field of data nested too deeply',
  async (name) => {
    const data = createData({ text: nested(20_000) })
    const inputs = { data, operations: [{ name }], query: '.', selected_key: '.text' }
    await expect(build('DataOperations', inputs)).rejects.toThrow(
      'The input "Data" (data) has more than 1000 objects or lists inside one another',
    )
  },
)

test('AB-29 100,000 parameters of a search cost linear time', async () => {
  const given = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
  let asked = ''
  const services: ComponentServices = {
    ...createMemoryServices(),
    fetch: async (url) => {
      asked = url instanceof Request ? url.url : url.toString()
      return Response.json({ organic_results: [] })
    },
  }
  const inputs = { api_key: 'k', input_value: 'cats', search_params: given(100_000) }
  const started = process.cpuUsage()
  await build('SearchComponent', inputs, services)
  const { user } = process.cpuUsage(started)
  expect(asked).toMatch(/\?engine=google&q=cats&k0=0&.*&k99999=99999$/)
  expect(user / 1e6).toBeLessThan(5)
})

test('AB-29 indentation does not multiply the JSON of a deep value', async () => {
  let value: unknown = Array.from({ length: 500_000 }, () => 1)
  for (let level = 0; level < 190; level += 1) value = [value]
  const shown = build('ChatOutput', { input_value: createData({ value }) })
  await expect(shown).rejects.toThrow('its JSON is indented by more than 16777216 characters')
})

test('AB-29 the characters that a placeholder converts count, also those that it cuts off', async () => {
  const data = createData({ text: 'x'.repeat(MIB) })
  const filled = build('ParserComponent', { input_data: data, pattern: '{text!r:.1}'.repeat(100) })
  await expect(filled).rejects.toThrow(
    'The filled template is too long (limit 33554432 characters)',
  )
})

test('AB-29 the template of a message history shares the limit of a filled template', async () => {
  const services = createMemoryServices()
  const now = new Date()
  for (let at = 0; at < 40; at += 1) {
    const text = 'x'.repeat(MIB)
    const message = createMessage({ text, sender: 'User', sessionId: 's', timestamp: now })
    await services.messages?.add({
      ...message,
      id: `m${at}`,
      text,
      files: [],
      contentBlocks: [],
      sessionId: 's',
    })
  }
  const read = build('Memory', { session_id: 's', template: '{text}' }, services)
  await expect(read).rejects.toThrow('The filled template is too long')
})

test('AB-29 an Excel file has at most 200,000 cells, and cells that Excel can read', async () => {
  const save = (rows: Record<string, unknown>[]) =>
    build('SaveToFile', {
      input: createDataFrame(rows),
      file_name: 'f',
      storage_location: [{ name: 'Local' }],
      local_format: 'excel',
    })
  const many = Array.from({ length: 100_000 }, (_, at) => ({ a: at, b: 0, c: 0 }))
  await expect(save(many)).rejects.toThrow('is too large for an Excel file (limit 200000 cells')
  const sparse = Array.from({ length: 1000 }, (_, at) => ({ [`k${at}`]: 1 }))
  await expect(save(sparse)).rejects.toThrow('save it as csv')
  const long = "A cell of the column 'note' has 40000 characters"
  await expect(save([{ note: 'x'.repeat(40_000) }])).rejects.toThrow(long)
  await expect(save([{ note: 'x'.repeat(32_767) }])).resolves.toBeDefined()
})

test('AB-29 a JSON file of a table has no more empty cells than a table, and 32 MiB of text', async () => {
  const save = (rows: Record<string, unknown>[]) =>
    build('SaveToFile', {
      input: createDataFrame(rows),
      file_name: 'f',
      storage_location: [{ name: 'Local' }],
      local_format: 'json',
    })
  const sparse = Array.from({ length: 3000 }, (_, at) => ({ [`k${at}`]: 1 }))
  await expect(save(sparse)).rejects.toThrow('The table has more than 5000000 cells')
  const long = Array.from({ length: 40 }, () => ({ a: 'x'.repeat(MIB) }))
  await expect(save(long)).rejects.toThrow('The table has more than 33554432 characters as JSON')
})

test('AB-29 a large output is counted with turns for others', async () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => ({ a: at, b: 1 }))
  const counted = valueBytesSoon(createDataFrame(rows), Number.POSITIVE_INFINITY)
  expect(counted).toBeInstanceOf(Promise)
  expect(await counted).toBe(300_000 * 16)
  expect(valueBytesSoon({ a: 'text' }, 1000)).toBe(8)
  expect(createWorkBudget(2)(2)).toBe(true)
})

test('AB-29 a long name counts in each row that repeats it', () => {
  const name = 'k'.repeat(1000)
  expect(valueBytes([{ [name]: 1 }, { [name]: 1 }])).toBe(2 * (2000 + 8))
})

test('AB-29 the error of a run quotes at most 10,000 characters of a component’s own', async () => {
  const flow = flowBuilder('Columns', { components: builtinComponents })
  const chat = flow.add('ChatInput')
  const split = flow.add('SplitText')
  const again = flow.add('SplitText', { values: { text_key: 'm'.repeat(20_000) } })
  flow.connect(`${chat}.message`, `${split}.data_inputs`)
  flow.connect(`${split}.dataframe`, `${again}.data_inputs`)
  const { error } = await runFlow(flow.toJSON(), { components: registry, input: 'x' }).result
  expect(error?.detail).toContain("Text key 'mmm")
  expect(error?.detail).toMatch(/\.\.\. \(\d+ more characters\)$/)
  expect(error?.detail.length).toBeLessThan(11_000)
})

test('AB-29 the schema of a structured answer has at most 5,000 fields', () => {
  const rows = Array.from({ length: 5001 }, (_, n) => ({ name: `field ${n}`, type: 'str' }))
  expect(readSchemaFields(rows.slice(1))).toHaveLength(5000)
  expect(() => readSchemaFields(rows)).toThrow('Output Schema has 5001 fields; at most 5000')
})
