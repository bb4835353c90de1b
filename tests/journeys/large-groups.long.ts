// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { HEALTH_NOTED } from '../attacks/attack.ts'
import { readLargeGroups } from './large-groups.ts'

test('AB-88 SH-64 200 groups of 20,000 members are read to the end while the server answers others', async () => {
  const read = await readLargeGroups(200)
  expect(read.members).toBe(200 * 20_000)
  expect(read.tail).toMatch(/\]\}$/)
  expect(read.slowest).toBeLessThan(HEALTH_NOTED)
  expect(read.grown).toBeLessThan(100)
  expect(read.membersOfOne).toBe(20_000)
})

test('AB-88 SH-64 six groups of 20,000 members are read to the end while the server answers others', async () => {
  const read = await readLargeGroups(6)
  expect(read.members).toBe(6 * 20_000)
  expect(read.tail).toMatch(/\]\}$/)
  expect(read.grown).toBeLessThan(100)
  expect(read.membersOfOne).toBe(20_000)
})
