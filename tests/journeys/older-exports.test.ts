import type { FlowNode } from '@x/flow-engine'
import { expect, test } from 'vitest'
import { flowOf, importFlow, messageOf, nodeOf, runFlow, sharedService } from './flow-calls.ts'
import type { Answer } from './service.ts'

const service = sharedService({})

/** A node as versions 1.0 to 1.4 saved it: the fields and outputs of its time and no others. */
function former(
  type: string,
  fields: Readonly<Record<string, readonly [inputs: readonly string[], value: unknown]>>,
  outputs: Readonly<Record<string, string>>,
): FlowNode {
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, [types, value]]) => [
      name,
      {
        name,
        type: types.length === 0 || types.includes('Message') ? 'str' : 'other',
        _input_type: 'StrInput',
        input_types: [...types],
        show: true,
        value,
      },
    ]),
  )
  const shown = Object.entries(outputs).map(([name, kind]) => ({
    name,
    types: [kind],
    method: name,
  }))
  const details = { template, outputs: shown, display_name: type, base_classes: [] }
  return nodeOf(`${type}-aaaaa`, type, details)
}

const input = former('ChatInput', { input_value: [[], ''] }, { message: 'Message' })
const answer = former('ChatOutput', { input_value: [['Message'], ''] }, { message: 'Message' })

async function ask(
  nodes: Readonly<Record<string, FlowNode>>,
  edges: readonly (readonly [string, string])[],
  text: string,
): Promise<Answer> {
  const flow = flowOf('Older', { input, answer, ...nodes }, edges)
  return runFlow(service(), await importFlow(service(), flow), text)
}

function said(given: Answer): string | undefined {
  expect([given.status, given.status === 200 ? '' : given.text]).toEqual([200, ''])
  return messageOf(given)
}

test('NX-36: the chunks of an older Split Text reach the next node', async () => {
  const split = former(
    'SplitText',
    {
      data_inputs: [['Data', 'DataFrame', 'Message'], ''],
      chunk_size: [[], 4],
      chunk_overlap: [[], 0],
      separator: [[], ' '],
    },
    { chunks: 'Data', dataframe: 'DataFrame' },
  )
  const fields = { data: [['Data'], ''], template: [[], '<{text}>'], sep: [[], ' '] } as const
  const parse = former('ParseData', fields, { text: 'Message' })
  const edges = [
    ['input.message', 'split.data_inputs'],
    ['split.chunks', 'parse.data'],
    ['parse.text', 'answer.input_value'],
  ] as const
  expect(said(await ask({ split, parse }, edges, 'north south'))).toBe('<north> <south>')
})

test('NX-36: an older Save to File saves the message to its path', async () => {
  const save = former(
    'SaveToFile',
    {
      input_type: [[], 'Message'],
      message: [['Message'], ''],
      data: [['Data'], ''],
      df: [['DataFrame'], ''],
      file_format: [[], 'txt'],
      file_path: [[], './log/day.txt'],
    },
    { confirmation: 'Message' },
  )
  const edges = [
    ['input.message', 'save.message'],
    ['save.confirmation', 'answer.input_value'],
  ] as const
  expect(said(await ask({ save }, edges, 'Fair wind.'))).toContain(
    "Message saved successfully as 'log/day.txt'",
  )
  const fields = { message: [['Message'], ''], file_format: [[], 'txt'] } as const
  const nameless = former('SaveToFile', fields, { confirmation: 'Message' })
  const refused = await ask({ save: nameless }, edges, 'Fair wind.')
  expect([refused.status, refused.text]).toEqual([
    500,
    expect.stringContaining('File name must be provided.'),
  ])
})

test('NX-36: an older If-Else sends its message to the matching branch', async () => {
  const router = former(
    'ConditionalRouter',
    {
      input_text: [['Message'], ''],
      match_text: [['Message'], 'ahoy'],
      operator: [[], 'contains'],
      message: [['Message'], ''],
    },
    { true_result: 'Message', false_result: 'Message' },
  )
  const edges = [
    ['input.message', 'router.input_text'],
    ['input.message', 'router.message'],
    ['router.true_result', 'answer.input_value'],
  ] as const
  expect(said(await ask({ router }, edges, 'ahoy there'))).toBe('ahoy there')
})
