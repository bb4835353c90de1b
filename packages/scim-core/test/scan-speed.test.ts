import { createScanStore } from '@x/scim-core/scan'
import { expect, test } from 'vitest'
import { createArrayHost } from './scan-host.ts'
import { createScim } from './support.ts'

/** Milliseconds of CPU of one call, the least of several. */
async function cpuOf(call: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage()
    await call()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `u${n}`, userName: `u${n}@corp.example` }))

test('SH-10 GET by id of 10,000 users is fast without want, and loads nothing with an equal stamp', async () => {
  const host = createArrayHost({ honoursWant: false })
  host.rowsOf('default').users.push(...people(10_000))
  const plain = createScim({ store: createScanStore(host) })
  const stamped = createScim({ store: createScanStore({ ...host, stamp: async () => 1 }) })
  const get = (scim: typeof plain) => async () => {
    expect((await scim.get('/Users/u5000')).status).toBe(200)
  }
  const plainMs = await cpuOf(get(plain))
  expect(plainMs).toBeLessThan(600)
  await get(stamped)()
  const loads = host.wants.length
  expect(await cpuOf(get(stamped))).toBeLessThan(plainMs)
  expect(host.wants).toHaveLength(loads)
})
