import { expect, test } from 'vitest'
import { isGone } from './is-gone.ts'

test('OP-20 an owner is gone if the lookup finds none, and present if it fails', async () => {
  const reported: unknown[] = []
  const deps = { report: (error: unknown) => void reported.push(error) }
  expect(await isGone(deps, async () => null)).toBe(true)
  expect(await isGone(deps, async () => ({}))).toBe(false)
  expect(reported).toEqual([])
  const error = new Error('no connection')
  expect(await isGone(deps, () => Promise.reject(error))).toBe(false)
  expect(reported).toEqual([error])
})
