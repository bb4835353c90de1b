import { describe, expect, test } from 'vitest'
import { conditionalRouter, loop } from '@x/flow-engine/components'
import { createNode } from '../../src/components/node/create-node.ts'
import { refreshNode } from '../../src/components/node/refresh-node.ts'
import { createData } from '../../src/graph/values/data.ts'
import { createDataFrame, type DataFrame } from '../../src/graph/values/data-frame.ts'
import { createMessage, isMessage } from '../../src/graph/values/message.ts'
import { testComponent } from '@x/flow-engine/testing'

describe('LoopComponent (CO-53)', () => {
  async function passes(data: unknown, answers: readonly unknown[]) {
    const state = new Map<string, unknown>()
    const results = []
    for (const [at, item] of [null, ...answers].entries()) {
      results.push(await testComponent(loop, { inputs: { data, item }, state, build: at + 1 }))
    }
    return results
  }

  test('emits the rows one by one, then closes item and opens done with the collected results', async () => {
    const rows = createDataFrame([{ a: 1 }, { a: 2 }])
    const [first, second, last] = await passes(rows, [
      createMessage('one'),
      createData({ text: 'two', n: 2 }),
    ])
    expect(first?.outputs.item).toMatchObject({ data: { a: 1 } })
    expect(first?.branches).toEqual([['stop', 'done']])
    expect(second?.outputs.item).toMatchObject({ data: { a: 2 } })
    expect(last?.branches).toEqual([
      ['stop', 'item'],
      ['start', 'done'],
    ])
    expect(last?.outputs.done).toMatchObject({ rows: [{ text: 'one' }, { text: 'two', n: 2 }] })
  })

  test('a message, a data and lists of both become rows', async () => {
    const items = async (data: unknown): Promise<unknown> =>
      (await testComponent(loop, { inputs: { data } })).outputs.item
    expect(await items(createMessage('x'))).toMatchObject({ data: { text: 'x' } })
    expect(await items([createMessage('y'), createData({ z: 1 })])).toMatchObject({
      data: { text: 'y' },
    })
  })

  test('without rows done runs at once', async () => {
    const { branches, outputs } = await testComponent(loop, { inputs: { data: [] } })
    expect(branches).toEqual([
      ['stop', 'item'],
      ['start', 'done'],
    ])
    expect((outputs.done as DataFrame).rows).toEqual([])
  })

  test('other values are refused', async () => {
    for (const data of [null, 7, [createData({}), 'text'], { a: 1 }]) {
      await expect(testComponent(loop, { inputs: { data } })).rejects.toThrow(
        "The 'data' input must be a DataFrame",
      )
    }
  })
})

describe('ConditionalRouter (CO-54)', () => {
  const route = async (inputs: object, state = new Map<string, unknown>()) => {
    const messages = {
      true_case_message: createMessage('T'),
      false_case_message: createMessage('F'),
    }
    const { outputs, branches } = await testComponent(conditionalRouter, {
      inputs: { ...messages, ...inputs },
      state,
    })
    const text = (name: string): unknown => isMessage(outputs[name]) && outputs[name].text
    return { texts: [text('true_result'), text('false_result')], branches }
  }
  const holds = async (input_text: string, operator: string, match_text: string, more = {}) =>
    (await route({ input_text, operator, match_text, ...more })).texts[0] === 'T'

  test.each([
    ['a', 'equals', 'a', true],
    ['A', 'equals', 'a', false],
    ['a', 'not equals', 'b', true],
    ['abc', 'contains', 'b', true],
    ['abc', 'starts with', 'b', false],
    ['abc', 'starts with', 'ab', true],
    ['abc', 'ends with', 'bc', true],
    ['abc', 'ends with', 'b', false],
    ['Straße 😀', 'contains', '😀', true],
    ['', 'equals', '', true],
    ['10', 'less than', '9', false],
    ['9.5', 'less than or equal', '9.5', true],
    [' 1e2 ', 'greater than', '99', true],
    ['x', 'greater than or equal', '1', false],
    ['9', 'less than', 'x', false],
    ['9', 'greater than', '9', false],
    ['9.0', 'greater than or equal', '9', true],
    ['8', 'greater than or equal', '9', false],
    ['9', 'less than', '9', false],
    ['10', 'less than or equal', '9', false],
    ['a1', 'regex', '[a-z]', true],
    ['1a', 'regex', '[a-z]', false],
    ['a', 'regex', '(', false],
  ])('%s %s %s', async (text, operator, match, result) => {
    expect(await holds(text, operator, match)).toBe(result)
  })

  test('case_sensitive false lowercases both sides, except for patterns', async () => {
    expect(await holds('ABC', 'equals', 'aBc', { case_sensitive: false })).toBe(true)
    expect(await holds('ABC', 'regex', 'abc', { case_sensitive: false })).toBe(false)
  })

  test('the losing branch is stopped and excluded and returns an empty message', async () => {
    const yes = await route({ input_text: 'a', match_text: 'a' })
    expect(yes.texts).toEqual(['T', ''])
    expect(yes.branches).toEqual([
      ['stop', 'false_result'],
      ['exclude', 'false_result'],
    ])
    const no = await route({ input_text: 'a', match_text: 'b' })
    expect(no.texts).toEqual(['', 'F'])
    expect(no.branches).toEqual([
      ['stop', 'true_result'],
      ['exclude', 'true_result'],
    ])
  })

  test('at the limit the default route stays open, so that a cycle ends', async () => {
    const state = new Map<string, unknown>()
    const inputs = {
      input_text: 'a',
      match_text: 'a',
      max_iterations: 2,
      default_route: 'false_result',
    }
    expect((await route(inputs, state)).branches[0]).toEqual(['stop', 'false_result'])
    expect((await route(inputs, state)).branches).toEqual([['stop', 'true_result']])
  })

  test('after the limit a true default route always passes its message on', async () => {
    const state = new Map<string, unknown>()
    const inputs = {
      input_text: 'a',
      match_text: 'b',
      max_iterations: 1,
      default_route: 'true_result',
    }
    expect((await route(inputs, state)).texts).toEqual(['', 'F'])
    expect((await route(inputs, state)).texts).toEqual(['T', 'F'])
  })

  test('FF-42: a case without a message sends the input', async () => {
    const inputs = { input_text: 'a', match_text: 'a', true_case_message: null }
    expect((await route(inputs)).texts).toEqual(['a', ''])
  })

  test('in the editor patterns have no case switch, the other operators do', async () => {
    const refreshed = async (node: ReturnType<typeof createNode>, value: string) =>
      refreshNode(conditionalRouter, node, { field: 'operator', value })
    const pattern = await refreshed(createNode(conditionalRouter), 'regex')
    expect(pattern.data.node.template).not.toHaveProperty('case_sensitive')
    const equality = await refreshed(pattern, 'equals')
    expect(equality.data.node.template.case_sensitive).toMatchObject({ value: true })
  })
})
