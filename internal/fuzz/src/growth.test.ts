import { expect, test } from 'vitest'
import { amplify, measureGrowth } from './growth.ts'
import { createWatch } from './watch.ts'

test('amplify repeats the longest array or string', () => {
  expect(amplify({ a: 'x', list: [1, 'long enough'] }, 2)).toEqual({
    a: 'x',
    list: [1, 'long enough', 1, 'long enough'],
  })
  expect(amplify({ a: 'xy' }, 3)).toEqual({ a: 'xyxyxy' })
})

test('quadratic work is reported as superlinear; linear and short work are not', async () => {
  const measure = async (cost: (length: number) => number): Promise<boolean> => {
    let clock = 0
    const work = (input: unknown): void => void (clock += cost(String(input).length))
    return (await measureGrowth('x'.repeat(100), work, () => clock)).superlinear
  }
  expect(await measure((length) => length)).toBe(false)
  expect(await measure((length) => length ** 2)).toBe(true)
  expect(await measure((length) => length ** 2 / 10_000)).toBe(false)
})

test('a watch keeps the slowest cases in order, including cases that throw', async () => {
  let clock = 0
  const watch = createWatch(2, () => clock)
  const wait = (ms: number) => () => {
    clock += ms
  }
  await watch.time('fast', 1, wait(1))
  await watch.time('slow', 2, wait(20))
  await expect(
    watch.time('refused', 3, () => {
      wait(8)()
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(watch.slowest.map(({ label }) => label)).toEqual(['slow', 'refused'])
  expect(watch.report('Cases')).toMatch(/^Cases: the slowest 2 inputs\n +\d+\.\d ms/)
})
