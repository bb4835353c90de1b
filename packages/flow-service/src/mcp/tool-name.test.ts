import { describe, expect, test } from 'vitest'
import { baseToolName, nameTools, sanitizeToolName } from './tool-name.ts'

const ID = '2f3a9c1e-0000-4000-8000-00000000abcd'
const flow = (name: string, actionName: string | null = null) => ({ id: ID, name, actionName })
const namesOf = (names: readonly string[]): string[] => [
  ...nameTools(
    names.map((name) => flow(name)),
    baseToolName,
  ).keys(),
]

describe('MC-12 MC-13 names of tools', () => {
  test.each([
    ['Chat Echo!', 'chat_echo'],
    ['Ünïcode 🚀 Flow-Name  2', 'unicode_flow_name_2'],
    ['9 lives of a flow with a very long name that goes beyond', '_9_lives_of_a_flow_with_a_very'],
    ['問い合わせ', 'flow_2f3a9c1e'],
    ['', 'flow_2f3a9c1e'],
    ['__a--b__', 'a_b'],
  ])('the flow %j is listed as %s', (name, listed) => {
    expect(namesOf([name])).toEqual([listed])
  })

  test('a chosen name takes precedence over the name of the flow, unless it is empty after cleaning', () => {
    expect(baseToolName(flow('Twice', 'Once more'))).toBe('once_more')
    expect(baseToolName(flow('Twice', ' 🚀 '))).toBe('twice')
  })

  test('equal names are made distinct within 30 characters', () => {
    expect(namesOf(['Twice', 'twice!', 'TWICE'])).toEqual(['twice', 'twice_1', 'twice_2'])
    const long = 'a'.repeat(40)
    expect(namesOf([long, long])).toEqual(['a'.repeat(30), `${'a'.repeat(28)}_1`])
  })

  test('names differ and satisfy the rules of model APIs, whatever the flows are called', () => {
    const parts = [
      'a',
      'B',
      '1',
      '_',
      ' ',
      '-',
      'é',
      'ß',
      '漢',
      '🚀',
      '_1',
      '\u0301',
      'x'.repeat(29),
    ]
    let seed = 1
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 200; round += 1) {
      const names = Array.from({ length: 30 }, () =>
        Array.from({ length: next(6) }, () => parts[next(parts.length)]).join(''),
      )
      const listed = namesOf(names)
      expect(listed).toHaveLength(names.length)
      for (const name of listed) expect(name).toMatch(/^[a-z0-9_]{1,30}$/)
    }
  })

  test('a long name costs no more than a short one', () => {
    expect(sanitizeToolName('ä'.repeat(1_000_000))).toBe('a'.repeat(46))
  })
})
