import { createTestRuntime } from '@x/wire'
import writeXlsxFile from 'write-excel-file/universal'
import { afterEach, describe, expect, test } from 'vitest'
import { file } from '@x/flow-components'
import { createDocumentReader, type WorkerDocumentReader } from '../../src/node/document-reader.ts'
import { testComponent } from '@x/flow-engine/testing'
import { pageOf, pdfOf } from '@x/test-kit'

const signal = new AbortController().signal
const HELLO = pdfOf(pageOf(['Hello PDF']), 2)
/** 50 KB that take the library half a minute. */
const SLOW = pdfOf(Buffer.from('BT /F1 1 Tf (a) Tj ET\n'.repeat(900_000)))

let reader: WorkerDocumentReader | undefined
function start(options: Parameters<typeof createDocumentReader>[0] = {}): WorkerDocumentReader {
  reader = createDocumentReader(options)
  return reader
}
afterEach(async () => {
  await reader?.close()
})

/** A file service with one file under every path. */
function holding(bytes: Uint8Array) {
  return {
    read: async () => bytes,
    write: async (path: string) => path,
    list: async () => [],
  }
}

describe('AB-36 createDocumentReader', () => {
  test('returns the text of the pages, also to the File component', async () => {
    const documentReader = start()
    expect(await documentReader.pdf(HELLO, { signal })).toBe('Hello PDF\n\nHello PDF')
    const { value } = await testComponent(file, {
      output: 'message',
      inputs: { path: ['f/a.pdf'] },
      services: {
        documentReader,
        files: holding(HELLO),
      },
    })
    expect(value).toMatchObject({ text: 'Hello PDF\n\nHello PDF' })
  })

  test('returns the rows of a workbook in parts, also to the File component', async () => {
    const documentReader = start()
    const date = new Date(Date.UTC(2024, 1, 3))
    const made = await writeXlsxFile([
      [{ value: 'name' }, { value: 'n' }, { value: 'day' }],
      ...Array.from({ length: 4000 }, (_, index) => [
        { value: 'Ann' },
        { value: index },
        { value: date, format: 'yyyy-mm-dd' },
      ]),
    ]).toBlob()
    const workbook = new Uint8Array(await made.arrayBuffer())
    const rows = await documentReader.sheet(workbook, { signal })
    expect([rows.length, rows[4000]]).toEqual([4001, ['Ann', 3999, date]])
    const { value } = await testComponent(file, {
      output: 'dataframe',
      inputs: { path: ['f/a.xlsx'] },
      services: { documentReader, files: holding(workbook) },
    })
    expect(value).toMatchObject({ columns: ['name', 'n', 'day'] })
    await expect(documentReader.sheet(HELLO, { signal })).rejects.toThrow(TypeError)
  })

  test('a document over the time limit is stopped, and the next one is read', async () => {
    const runtime = createTestRuntime()
    const documentReader = start({ runtime })
    const outcome = documentReader.pdf(SLOW, { signal }).catch((error: unknown) => error)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    await runtime.advance(30_000)
    expect(await outcome).toMatchObject({
      message: 'The document takes longer than 30 seconds to read',
    })
    expect(await documentReader.pdf(HELLO, { signal })).toContain('Hello')
  })

  test(
    'a document that unpacks beyond the memory limit ends its worker, and the next one is read',
    { tags: ['long'] },
    async () => {
      const documentReader = start({ memoryBytes: 32 * 1024 * 1024 })
      const packed = pdfOf(Buffer.alloc(60_000_000, ' '))
      await expect(documentReader.pdf(packed, { signal })).rejects.toThrow(
        'more than 32 MB to read',
      )
      expect(await documentReader.pdf(HELLO, { signal })).toContain('Hello')
    },
  )

  test('a cancelled run stops reading its document', async () => {
    const documentReader = start()
    const run = new AbortController()
    const outcome = documentReader
      .pdf(SLOW, { signal: run.signal })
      .catch((error: unknown) => error)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    run.abort(new Error('cancelled'))
    expect(await outcome).toMatchObject({ message: 'cancelled' })
  })

  test(
    'a broken document fails with a clear error, and too many pages are refused',
    { tags: ['long'] },
    async () => {
      const documentReader = start()
      const broken = new TextEncoder().encode('%PDF-1.4 nothing')
      await expect(documentReader.pdf(broken, { signal })).rejects.toThrow('Invalid PDF structure')
      const long = pdfOf(pageOf(['a']), 10_001)
      await expect(documentReader.pdf(long, { signal })).rejects.toThrow('more than 10000 pages')
    },
  )
})

test('AB-36 without a document reader, documents of more than 200 pages are refused', async () => {
  const read = (pages: number) =>
    testComponent(file, {
      output: 'message',
      inputs: { path: ['f/a.pdf'] },
      services: {
        files: holding(pdfOf(pageOf(['a']), pages)),
      },
    })
  expect(await read(2)).toMatchObject({ value: { text: 'a\n\na' } })
  await expect(read(201)).rejects.toThrow(
    'f/a.pdf: A PDF of more than 10 MB or 200 pages can be read',
  )
})
