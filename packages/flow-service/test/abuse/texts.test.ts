import { describe, expect, test } from 'vitest'
import { builtinComponents, dataFrameOperations } from '@x/flow-components'
import { calculator, conditionalRouter, parser, promptTemplate } from '@x/flow-engine/components'
import { createRegistry, runFlow } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { readChatMessages, readResponseInput } from '../../src/services/answers/chat-input.ts'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'

/** Milliseconds that the event loop was held at most while the work ran, and what came of it. */
async function held<T>(work: () => Promise<T>): Promise<{ result: T | string; longest: number }> {
  let longest = 0
  let last = performance.now()
  const tick = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 5)
  const result = await work().catch((error: unknown) => String(error))
  await new Promise((resolve) => setTimeout(resolve, 10))
  clearInterval(tick)
  return { result, longest }
}

/** Generous: the machine may be busy. On an idle one it is a fiftieth. */
const BOUND = 5_000

describe('AB-30: regular expressions of users', () => {
  test('the router matches in linear time and refuses unsupported patterns', async () => {
    const route = (match_text: string, input_text: string) =>
      testComponent(conditionalRouter, {
        inputs: { input_text, match_text, operator: 'regex', max_iterations: 10 },
        output: 'true_result',
      })
    const { longest } = await held(() => route('(a+)+$', `${'a'.repeat(40)}!`))
    expect(longest).toBeLessThan(BOUND)
    await expect(route('(?=a)b', 'ab')).rejects.toThrow('Not a supported pattern: (?=a)b')
  })

  test('filtering a data frame does not block the event loop', { tags: ['long'] }, async () => {
    const rows = Array.from({ length: 30 }, () => ({ t: `${'a'.repeat(200_000)}!` }))
    const { result, longest } = await held(() =>
      testComponent(dataFrameOperations, {
        inputs: {
          df: createDataFrame(rows),
          operation: [{ name: 'Filter' }],
          column_name: 't',
          filter_operator: 'contains',
          filter_value: '(a+)+$',
        },
        output: 'output',
      }),
    )
    expect(result).toMatchObject({ value: { rows: [] } })
    expect(longest).toBeLessThan(BOUND)
  })
})

describe('AB-31: the calculator', () => {
  test.each([
    '9**9**9**9**9',
    '1e200*1e200',
    `${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
    '-'.repeat(9_999) + '1',
    '9'.repeat(9_000) + '**2',
    '1'.repeat(10_001),
  ])('%s is refused before it is computed', async (expression) => {
    const { result, longest } = await held(() =>
      testComponent(calculator, { inputs: { expression } }),
    )
    expect(result).toMatchObject({ value: { data: { error: expect.any(String) as string } } })
    expect(longest).toBeLessThan(BOUND)
  })
})

describe('AB-33: format widths', () => {
  test.each(['{a:>10001}', '{a:>99999999999}', '{a:.99999f}'])('%s is refused', async (pattern) => {
    const inputs = { input_data: createData({ a: 'x' }), pattern, mode: 'Parser' }
    await expect(testComponent(parser, { inputs })).rejects.toThrow(
      'Too many decimal digits in format string',
    )
  })

  test('a template with many wide placeholders is refused when its result is too long', async () => {
    const template = '{a:>9999}'.repeat(100_000)
    const before = process.memoryUsage().rss
    await expect(testComponent(promptTemplate, { inputs: { template, a: 'x' } })).rejects.toThrow(
      'The filled template is too long',
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  })
})

describe('template placeholders', () => {
  test('a template indexes a long text many times in linear time', async () => {
    const inputs = {
      input_data: createData({ a: `${'a'.repeat(999_999)}\u{1F680}` }),
      pattern: '{a[999999]}'.repeat(50_000),
      mode: 'Parser',
    }
    const { result, longest } = await held(() => testComponent(parser, { inputs }))
    expect(result).toMatchObject({ value: { text: '\u{1F680}'.repeat(50_000) } })
    expect(longest).toBeLessThan(BOUND)
  })

  test('empty cells count toward the size limit of a filled template', async () => {
    const rows = Array.from({ length: 20_000 }, () => ({ a: '' }))
    const inputs = {
      input_data: createDataFrame(rows),
      pattern: '{a}'.repeat(5_000),
      mode: 'Parser',
    }
    const { result, longest } = await held(() => testComponent(parser, { inputs }))
    expect(result).toContain('The template has too many placeholders for 20000 rows')
    expect(longest).toBeLessThan(BOUND)
  })
})

describe('lengths of lists in a request', () => {
  test('10,000 tweaks are accepted; one more is refused before any is applied', async () => {
    const flow = flowBuilder()
    for (let at = 0; at < 200; at += 1) flow.add('TextInput', { values: { input_value: `${at}` } })
    const components = createRegistry(builtinComponents)
    const run = (count: number) =>
      runFlow(flow.toJSON(), {
        components,
        tweaks: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])),
      }).result
    const { result, longest } = await held(() => run(10_000))
    expect(result).toMatchObject({ status: 'succeeded' })
    expect(longest).toBeLessThan(BOUND)
    expect((await held(() => run(10_001))).result).toContain('A run takes at most 10000 tweaks')
  })

  test('a chat with more than 10,000 messages is refused', () => {
    const messages = (count: number) =>
      Array.from({ length: count }, () => ({ role: 'user', content: 'x' }))
    expect(readChatMessages(messages(10_000)).earlier).toHaveLength(9_999)
    for (const read of [readChatMessages, readResponseInput])
      expect(() => read(messages(10_001))).toThrow('A request has at most 10000 messages.')
  })
})
