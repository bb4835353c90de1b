import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { calculator, currentDate, webhook } from '@x/flow-engine/components'
import type { Data } from '../../src/graph/values/data.ts'
import type { Message } from '../../src/graph/values/message.ts'
import { testComponent } from '@x/flow-engine/testing'

describe('Webhook (CO-59)', () => {
  test.each<[string, unknown]>([
    ['', {}],
    ['  ', {}],
    ['null', {}],
    ['{"a": {"b": 1}}', { a: { b: 1 } }],
    ['hello', { payload: 'hello' }],
    ['{"a": ', { payload: '{"a": ' }],
    ['[1, 2]', { payload: [1, 2] }],
    ['"text"', { payload: 'text' }],
    ['7', { payload: 7 }],
    ['{"__proto__": {"x": 1}}', JSON.parse('{"__proto__": {"x": 1}}')],
  ])('converts the body %j', async (data, expected) => {
    const { value } = await testComponent(webhook, { inputs: { data } })
    expect((value as Data).data).toEqual(expected)
  })
})

describe('CurrentDate (CO-76)', () => {
  const tell = async (timezone: string): Promise<unknown> => {
    const runtime = createTestRuntime({ start: new Date('2026-07-01T12:00:00Z') })
    const { value } = await testComponent(currentDate, { inputs: { timezone }, runtime })
    return (value as Message).text
  }

  test('returns the time of the runtime in the zone', async () => {
    expect(await tell('Europe/Berlin')).toBe(
      'Current date and time in Europe/Berlin: 2026-07-01 14:00:00 CEST',
    )
  })

  test('an unknown zone is returned as text, not thrown', async () => {
    expect(await tell('Mars/Base')).toBe('Error: unknown time zone Mars/Base')
  })
})

describe('CalculatorComponent (CO-39)', () => {
  test.each([
    ['1/3', { result: '0.333333' }],
    ['2/4', { result: '0.5' }],
    ['0.1+0.2', { result: '0.3' }],
    ['1e3+1_000', { result: '2000' }],
    ['2**100', { result: '1267650600228229401496703205376' }],
    ['1/0', { error: 'Error: Division by zero', input: '1/0' }],
    [
      '-1',
      {
        error: 'Invalid expression: Unsupported operation or expression type: UnaryOp',
        input: '-1',
      },
    ],
    ['5//2', { error: 'Invalid expression: Unsupported binary operator: FloorDiv', input: '5//2' }],
    ["'a'", { error: 'Invalid expression: Unsupported constant type: str', input: "'a'" }],
  ])('CO-39: %s', async (expression, expected) => {
    const { value } = await testComponent(calculator, { inputs: { expression } })
    expect((value as Data).data).toEqual(expected)
  })
})
