// Runs each night (.ci/night).
import { pageOf, pdfOf } from '@x/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf, readingFlow, storeFlow, tableFlow, uploadToUser } from '../journeys/material.ts'
import { startService, type SharedService } from '../journeys/service.ts'
import { besideHealth, HEALTH_NOTED, IN_TIME } from './attack.ts'
import { zipOf } from './zip-bombs.ts'

const MB = 1024 * 1024
const TOO_LARGE = 'The file is too large when unpacked (limit 100 MB)'

let shared: SharedService
let reader = ''
beforeAll(async () => {
  shared = await startService({})
  reader = await storeFlow(shared.service, readingFlow())
})
afterAll(() => shared.end())

/** What is stored besides makes room for what is unpacked. */
const pad = { name: 'pad.bin', content: crypto.getRandomValues(new Uint8Array(64 * 1024)) }

/** Zeros that pack to a thousandth. */
const bomb = (megabytes: number): Uint8Array => new Uint8Array(megabytes * MB).fill(0x20)

const text = (content: string): Uint8Array => new TextEncoder().encode(content)

/** A workbook of one sheet. */
function workbook(rows: string, styles = ''): Uint8Array {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'styles', 'styles.xml')}</Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
  }
  return zipOf(Object.entries(parts).map(([name, xml]) => ({ name, content: text(xml) })))
}

const cell = (place: string, row: number): string =>
  `<row r="${row}"><c r="${place}" s="0"><v>1</v></c></row>`

async function read(name: string, bytes: Uint8Array) {
  const path = await uploadToUser(shared.service, name, { bytes })
  const isTable = /\.(xlsx|csv)$/.test(name)
  const flow = isTable
    ? await storeFlow(shared.service, await tableFlow(shared.service, path))
    : reader
  return await shared.service.call('POST', `/api/v1/run/${flow}`, {
    body: isTable ? {} : { tweaks: { 'File-00001': { path: [path] } } },
  })
}

describe('AB-35 size limits of archives and office files apply while they are unpacked', () => {
  const bombs: readonly (readonly [string, () => Uint8Array])[] = [
    ['a.docx', () => zipOf([{ name: 'word/document.xml', content: bomb(20) }])],
    ['b.xlsx', () => zipOf([{ name: 'xl/worksheets/sheet1.xml', content: bomb(20) }])],
    ['c.zip', () => zipOf([{ name: 'a.txt', content: bomb(20) }])],
    ['d.zip', () => zipOf([{ name: 'lying.txt', content: bomb(20), announced: 10 }])],
    ['e.xlsx', () => zipOf([{ name: 'xl/lying.xml', content: bomb(20), announced: 10 }])],
    ['f.zip', () => zipOf([1, 2, 3].map((n) => ({ name: `${n}.txt`, content: bomb(8) })))],
  ]
  test.each(bombs)('%s', async (name, make) => {
    const bytes = make()
    const { result, slowest, grown } = await besideHealth(shared.service, () => read(name, bytes))
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect(result.status).toBe(500)
    expect(result.text).toContain(TOO_LARGE)
    expect(grown).toBeLessThan(250)
  })

  const tables: readonly (readonly [string, () => Uint8Array, RegExp])[] = [
    ['far.xlsx', () => workbook(cell('A1', 1) + cell('XFD99999', 99_999)), /5000000 cells/],
    ['number.xlsx', () => workbook(cell('A1', 1) + cell('B1e6', 2)), /has no place/],
    ['wide.csv', () => text(`${'a,'.repeat(200_000)}a\n${'1\n'.repeat(5000)}`), /5000000 cells/],
    ['long.csv', () => text(`${'1,'.repeat(99)}1\n`.repeat(51_000)), /5000000 cells/],
    [
      'format.xlsx',
      () =>
        workbook(
          cell('A1', 1),
          `<numFmts><numFmt numFmtId="200" formatCode="${'[['.repeat(50_000)}"/></numFmts><cellXfs><xf numFmtId="200" applyNumberFormat="1"/></cellXfs>`,
        ),
      /number format/,
    ],
    [
      'empty.docx',
      () => zipOf([{ name: 'word/document.xml', content: text('<w:p/>'.repeat(1_100_000)) }, pad]),
      /1000000 paragraphs/,
    ],
    ['deep.json', () => text('['.repeat(10 * MB)), /nested too deeply/],
  ]
  test.each(tables)('%s is refused before it is built', async (...row) => {
    const [name, make, told] = row
    const bytes = make()
    const { result, slowest, grown } = await besideHealth(shared.service, () => read(name, bytes))
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect([result.status, result.text]).toEqual([500, expect.stringMatching(told)])
    expect(grown).toBeLessThan(250)
  })

  test('a table with 30,000 columns of the same name is read', async () => {
    const answer = await read(
      'names.csv',
      text(`${'a,'.repeat(30_000)}a\n${'1,'.repeat(30_000)}1\n`),
    )
    expect([answer.status, answer.text.includes('a.29999')]).toEqual([200, true])
  })

  test('AB-36 a 50 KB PDF that takes 10 to 30 s to read does not block other requests', async () => {
    const slow = pdfOf(text('BT /F1 1 Tf (a) Tj ET\n'.repeat(900_000)))
    const vast = pdfOf(text(' '.repeat(300 * MB)))
    const { result, slowest, wall, grown } = await besideHealth(shared.service, () =>
      Promise.all([read('slow.pdf', slow), read('vast.pdf', vast), read('c.txt', text('honest'))]),
    )
    const [long, large, honest] = result
    // A fast machine reads it to its end.
    const tooLong = /slow\.pdf: The document takes (longer than 30 s|more than 256 MB)/
    expect(long.status === 200 || tooLong.test(long.text)).toBe(true)
    expect([large.status, large.text]).toEqual([
      500,
      expect.stringMatching(/vast\.pdf: The document takes more than 256 MB/),
    ])
    expect([honest.status, honest.text.includes('honest')]).toEqual([200, true])
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect(wall).toBeLessThan(IN_TIME)
    expect(grown).toBeLessThan(800)
    const good = await read('good.pdf', pdfOf(pageOf(['Hello PDF'])))
    expect([good.status, good.text.includes('Hello PDF')]).toEqual([200, true])
  })

  test('AB-37 a file larger than 100 MB is refused', async () => {
    const bytes = new Uint8Array(101 * MB).fill(0x61)
    const {
      result: huge,
      slowest,
      grown,
    } = await besideHealth(shared.service, () => read('huge.txt', bytes))
    expect(slowest).toBeLessThan(HEALTH_NOTED)
    expect(grown).toBeLessThan(250)
    expect([huge.status, huge.text]).toEqual([
      500,
      expect.stringMatching(/huge\.txt has 101 MB; a flow reads files of at most 100 MB/),
    ])
  })

  test('a zip bomb uploaded as flows is refused with 400', async () => {
    const bytes = zipOf([{ name: 'flow.json', content: bomb(20), announced: 10 }])
    const answer = await shared.service.call('POST', '/api/v1/flows/upload/', {
      body: await formOf('flows.zip', bytes),
    })
    const detail = TOO_LARGE
    expect([answer.status, answer.json()]).toEqual([400, { detail }])
  })

  test('a small archive may unpack to 1 MiB; more than 10,000 entries are refused', async () => {
    const small = await read('g.zip', zipOf([{ name: 'a.txt', content: bomb(1) }]))
    expect(small.status).toBe(200)
    const many = Array.from({ length: 10_001 }, (_, n) => ({
      name: `${n}.bin`,
      content: new Uint8Array(0),
    }))
    expect((await read('h.zip', zipOf(many))).text).toContain('too many entries (limit 10000)')
  })
})
