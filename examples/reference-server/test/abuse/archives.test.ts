import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf, readingFlow, storeFlow, tableFlow, uploadToUser } from '../journeys/material.ts'
import { startService, type SharedService } from '../journeys/service.ts'
import { besideHealth } from './attack.ts'
import { zipOf } from './zip-bombs.ts'

const MB = 1024 * 1024
const TOO_LARGE = 'The file is too large when unpacked (limit 100 MB)'

let shared: SharedService
let reader = ''
beforeAll(async () => {
  shared = await startService({})
  reader = await storeFlow(shared.service, readingFlow())
}, 60_000)
afterAll(() => shared.end())

/** Zeros that pack to a thousandth. */
const bomb = (megabytes: number): Uint8Array => new Uint8Array(megabytes * MB).fill(0x20)

async function read(name: string, bytes: Uint8Array) {
  const path = await uploadToUser(shared.service, name, { bytes })
  const isTable = name.endsWith('.xlsx')
  const flow = isTable
    ? await storeFlow(shared.service, await tableFlow(shared.service, path))
    : reader
  return await shared.service.call('POST', `/api/v1/run/${flow}`, {
    body: isTable ? {} : { tweaks: { 'File-00001': { path: [path] } } },
  })
}

describe('AB-35 archives and office files are counted while they are unpacked', () => {
  const bombs: readonly (readonly [string, () => Uint8Array])[] = [
    ['a.docx', () => zipOf([{ name: 'word/document.xml', content: bomb(20) }])],
    ['b.xlsx', () => zipOf([{ name: 'xl/worksheets/sheet1.xml', content: bomb(20) }])],
    ['c.zip', () => zipOf([{ name: 'a.txt', content: bomb(20) }])],
    ['d.zip', () => zipOf([{ name: 'lying.txt', content: bomb(20), announced: 10 }])],
    ['e.xlsx', () => zipOf([{ name: 'xl/lying.xml', content: bomb(20), announced: 10 }])],
    ['f.zip', () => zipOf([1, 2, 3].map((n) => ({ name: `${n}.txt`, content: bomb(8) })))],
  ]
  test.each(bombs)('%s', { timeout: 60_000 }, async (name, make) => {
    const bytes = make()
    const { result, grown } = await besideHealth(shared.service, () => read(name, bytes))
    expect(result.status).toBe(500)
    expect(result.text).toContain(TOO_LARGE)
    expect(grown).toBeLessThan(250)
  })

  test('a zip of flows is refused with 400, and no flow is made', { timeout: 60_000 }, async () => {
    const bytes = zipOf([{ name: 'flow.json', content: bomb(20), announced: 10 }])
    const answer = await shared.service.call('POST', '/api/v1/flows/upload/', {
      body: await formOf('flows.zip', bytes),
    })
    expect([answer.status, answer.json()]).toEqual([400, { detail: TOO_LARGE }])
  })

  test('a small file may hold 1 MiB, and more entries than 10,000 are refused', async () => {
    const small = await read('g.zip', zipOf([{ name: 'a.txt', content: bomb(1) }]))
    expect(small.status).toBe(200)
    const many = Array.from({ length: 10_001 }, (_, n) => ({
      name: `${n}.bin`,
      content: new Uint8Array(0),
    }))
    expect((await read('h.zip', zipOf(many))).text).toContain('too many entries (limit 10000)')
  })
})
