import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { fileTable } from './file-table.ts'
import { createSheetInspector } from './sheet-inspector.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Feeds an entry to the inspector in pieces of `size` bytes. */
function take(text: string, size = text.length, inspector = createSheetInspector()): void {
  const bytes = encode(text)
  for (let at = 0; at < bytes.length; at += size)
    inspector.take(bytes.subarray(at, at + size), at + size >= bytes.length)
}

const far = '<row r="1"><c r="A1"/></row><x:row r="99999"><x:c r=\'XFD99999\'/></x:row>'

describe('createSheetInspector (AB-35)', () => {
  test.each([1, 2, 7, 1000])(
    'finds cells that are far apart when read in chunks of %i bytes',
    (size) => {
      expect(() => take(far, size)).toThrow('5000000 cells')
    },
  )

  test('each entry is measured on its own', () => {
    const inspector = createSheetInspector()
    take('<row r="99999"/>', 5, inspector)
    expect(() => take('<c r="XFD1"/>', 5, inspector)).not.toThrow()
  })

  test.each([
    ['<c r="B1e6"/>', 'has no place'],
    ['<c r="A1"', 'has no end'],
    [`<numFmt formatCode="${'0'.repeat(256)}"/>`, 'number format of the workbook is too long'],
  ])('%# malformed workbook XML is refused', (text, message) => {
    expect(() => take(text)).toThrow(message)
  })

  test('an unterminated tag is not buffered', () => {
    const piece = encode(`<c${' '.repeat(1_000_000)}`)
    expect(() => createSheetInspector().take(piece, false)).toThrow(
      'a tag of the workbook has no end',
    )
  })
})

test('AB-35 the bytes of a picture in a workbook are not counted as cells', async () => {
  const part = (name: string, content: string): [string, Uint8Array] => [name, encode(content)]
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const workbook = zipSync(
    Object.fromEntries([
      part(
        'xl/_rels/workbook.xml.rels',
        `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      ),
      part(
        'xl/workbook.xml',
        `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
      ),
      part(
        'xl/worksheets/sheet1.xml',
        `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row><row r="2"><c r="A2"><v>7</v></c></row></sheetData></worksheet>`,
      ),
      part('xl/media/image1.png', '\u0089PNG <c \u0000\u0001<row \u0002'),
    ]),
  )
  const ctx = { services: {}, signal: AbortSignal.timeout(15_000) }
  expect((await fileTable('a.xlsx', workbook, ctx)).rows).toEqual([{ name: 7 }])
})
