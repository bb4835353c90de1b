import { describe, expect, test } from 'vitest'
import { createMessage, defineComponent, output } from '@x/flow-engine'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { conditionalRouter } from '../../src/components/built-in/flow-controls/conditional-router.ts'
import { run } from '../engine/dependencies.ts'

async function holds(operator: string, input_text: string, match_text: string, more = {}) {
  const inputs = { operator, input_text, match_text, true_case_message: 'T', ...more }
  const { branches } = await testComponent(conditionalRouter, { inputs })
  return branches.some(([what, name]) => what === 'stop' && name === 'false_result')
}

describe('FF-43: comparisons of If-Else', () => {
  const table: readonly (readonly [string, string, string, boolean])[] = [
    ['equals', 'yes', 'yes', true],
    ['equals', 'yes ', 'yes', false],
    ['equals', '1.0', '1', false],
    ['not equals', 'yes ', 'yes', true],
    ['contains', 'abc', '', true],
    ['starts with', 'abc', '', true],
    ['ends with', 'abc', 'bc', true],
    ['regex', 'xab', 'a', false],
    ['regex', 'ab', 'a', true],
    ['regex', 'a', '[', false],
    ['greater than', '10', '9', true],
    ['less than', 'abc', '1', false],
    ['less than', '1,5', '1', false],
    ['less than or equal', ' 7 ', '7', true],
    ['greater than', 'nan', '1', false],
    ['less than', 'nan', '1', false],
    ['greater than', '1e3', '1_000', false],
    ['greater than or equal', '1e3', '1_000', true],
    ['less than', '-inf', 'inf', true],
  ]
  test.each(table)('FF-43: %s: "%s", "%s" is %s', async (operator, input, match, right) => {
    expect(await holds(operator, input, match)).toBe(right)
  })

  test('FF-41: another operator is refused by name', async () => {
    await expect(holds('resembles', 'a', 'a')).rejects.toThrow(
      'Component If-Else: unknown operator "resembles". Known: equals, not equals, contains,',
    )
    expect(await holds('Equals ', 'a', 'a')).toBe(true)
  })

  test('FF-43: letter case is ignored on both sides on request, but not by patterns', async () => {
    const more = { case_sensitive: false }
    expect(await holds('contains', 'ABC', 'b', more)).toBe(true)
    expect(await holds('regex', 'ABC', 'a', more)).toBe(false)
  })
})

describe('FF-42: a blank case of If-Else', () => {
  const sent = async (values: object): Promise<unknown> => {
    const inputs = { operator: 'equals', input_text: 'in', match_text: 'in', ...values }
    const { outputs } = await testComponent(conditionalRouter, { inputs })
    return outputs['true_result']
  }

  test('FF-42: passes the input on', async () => {
    expect(await sent({})).toMatchObject({ text: 'in' })
    expect(await sent({ true_case_message: '' })).toMatchObject({ text: 'in' })
    expect(await sent({ true_case_message: createMessage('') })).toMatchObject({ text: 'in' })
    expect(await sent({ true_case_message: 'T' })).toMatchObject({ text: 'T' })
  })

  test('FF-42: also in a flow', async () => {
    const flow = flowBuilder()
    const values = { operator: 'equals', input_text: 'in', match_text: 'in' }
    flow.add('ConditionalRouter', { id: 'R-1', values })
    flow.add('ChatOutput', { id: 'ChatOutput-1' })
    flow.connect('R-1.true_result', 'ChatOutput-1.input_value')
    expect((await run(flow.toJSON())).result.text()).toBe('in')
  })

  test('FF-42: a component knows the hash of the code in its node', async () => {
    const hashed = defineComponent({
      type: 'Hashed',
      inputs: {},
      outputs: { out: output.message({ run: (_inputs, ctx) => ctx.codeHash() ?? 'none' }) },
    })
    const flow = flowBuilder()
    flow.add(hashed, { id: 'Hashed-1' })
    const json = flow.toJSON()
    const said = async (value: string) => {
      Object.assign(json.data?.nodes?.[0]?.data.node.template ?? {}, { code: { value } })
      return (await run(json, { more: [hashed] })).result.text('Hashed-1')
    }
    expect(await said('')).toBe('none')
    expect(await said('abc')).toBe('ba7816bf8f01')
  })
})
