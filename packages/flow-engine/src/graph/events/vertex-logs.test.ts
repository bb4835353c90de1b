import { expect, test } from 'vitest'
import { VertexLogs } from './vertex-logs.ts'

test('DR-19: 40,000 log entries take constant time each; the last entry counts those left out', () => {
  const logs = new VertexLogs()
  for (let k = 0; k < 40_000; k += 1) logs.add('out', '', k)
  const entries = logs.entries.get('out')
  expect(entries).toHaveLength(10_001)
  expect(entries?.slice(-2)).toEqual([
    { name: 'Log 10000', value: 9_999 },
    { name: 'Log', value: '30000 more' },
  ])
})

test('DR-19: beyond 1 MiB over all outputs, entries are only counted', () => {
  const logs = new VertexLogs()
  logs.add('a', 'small', 'x')
  logs.add('b', 'large', 'x'.repeat(600_000))
  logs.add('a', 'small', 'y')
  expect(Object.fromEntries(logs.entries)).toEqual({
    a: [{ name: 'small', value: 'x' }],
    b: [{ name: 'Log', value: '2 more' }],
  })
})
