// Runs each night (.ci/night).
import { expect, test, vi } from 'vitest'
import { besideHealth, HEALTH, OTHERS, stopwatch, useService } from './attack.ts'
import { addUser, run, saveFlow, type Values } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })
const running = useService({})

type Node = readonly [type: string, values?: Values, edge?: string]

/** Runs a flow of an attacker while another user's flow and `/health` are answered. */
async function attack(...nodes: readonly Node[]): Promise<string> {
  const service = running()
  const flow = await saveFlow(service, nodes)
  const honest = await honestFlow()
  const { result, slowest } = await besideHealth(service, async () => {
    const attacking = run(service, flow)
    const elapsed = stopwatch(service)
    const answer = await run(service, honest.flow, honest.key)
    const ms = elapsed()
    expect([answer.status, answer.text.includes('honest')]).toEqual([200, true])
    return { text: (await attacking).text, ms }
  })
  expect(result.ms).toBeLessThan(OTHERS)
  expect(slowest).toBeLessThan(HEALTH)
  return result.text
}

let made: Promise<{ readonly flow: string; readonly key: string }> | undefined
function honestFlow() {
  made ??= (async () => {
    const key = await addUser(running(), 'ada')
    const nodes: readonly Node[] = [
      ['TextInput', { input_value: 'honest' }],
      ['ChatOutput', {}, 'text>input_value'],
    ]
    return { key, flow: await saveFlow(running(), nodes, { key }) }
  })()
  return made
}

const route = (match_text: string, input_value: string): Promise<string> =>
  attack(
    ['TextInput', { input_value }],
    ['ConditionalRouter', { match_text, operator: 'regex' }, 'text>input_text'],
  )

test("AB-30: a flow's regular expression runs in linear time or is refused", async () => {
  expect(await route('(a+)+$', `${'a'.repeat(40)}!`)).not.toContain('Not a supported pattern')
  expect(await route('(a|aa)+$', `${'a'.repeat(100_000)}!`)).not.toContain('Traceback')
  expect(await route('(?=a)b', 'ab')).toContain('Not a supported pattern: (?=a)b')
})

test('AB-31: an expensive calculator expression is refused before it is computed', async () => {
  for (const expression of [
    '9**9**9**9**9',
    '1e200*1e200',
    `${'('.repeat(4_000)}1${')'.repeat(4_000)}`,
    `${'-'.repeat(9_000)}1`,
    `${'9'.repeat(9_000)}**2`,
    '1'.repeat(10_001),
  ]) {
    const text = await attack(['CalculatorComponent', { expression }])
    expect(text).toContain('"error"')
  }
  expect(await attack(['CalculatorComponent', { expression: '6*7' }])).toContain('42')
})

const format = (pattern: string): Promise<string> =>
  attack(
    ['Webhook', { data: '{"a": "x"}' }],
    ['ParserComponent', { pattern, mode: 'Parser' }, 'output_data>input_data'],
  )

test('AB-33: a format string with a width or precision above the limit is refused', async () => {
  for (const pattern of ['{a:>10001}', '{a:>99999999999}', '{a:.99999f}'])
    expect(await format(pattern)).toContain('Too many decimal digits in format string')
  expect(await format('{a:>9999}'.repeat(100_000))).toContain('too long')
  expect(await format('<{a:>3}>')).toContain('<  x>')
})

test('AB-39: addresses that are a megabyte of slashes are trimmed in linear time', async () => {
  const openai_api_base = `http://127.0.0.2${'/'.repeat(1_000_000)}x`
  const values = { input_value: 'hi', api_key: 'sk-mine', openai_api_base }
  expect(await attack(['OpenAIModel', values])).toContain('not allowed')
})
