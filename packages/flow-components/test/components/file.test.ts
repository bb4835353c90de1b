import { gzipSync, strToU8, zipSync } from 'fflate'
import { createTar } from 'nanotar'
import writeXlsxFile from 'write-excel-file/universal'
import { describe, expect, test } from 'vitest'
import { file } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { isDataFrame } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { pageOf, pdfOf } from '@x/test-kit'

function stored(files: Record<string, Uint8Array>) {
  return {
    files: {
      read: async (path: string) => files[path] ?? null,
      write: async (path: string) => path,
      list: async () => Object.keys(files),
    },
  }
}

async function read(
  files: Record<string, Uint8Array>,
  inputs: Record<string, unknown> = {},
  output = 'message',
): Promise<unknown> {
  const { value } = await testComponent(file, {
    output,
    inputs: { path: Object.keys(files), ...inputs },
    services: stored(files),
  })
  return isMessage(value) ? value.text : isDataFrame(value) ? value.rows : value
}

/** The smallest Word document: its body alone. */
function docx(...paragraphs: string[]): Uint8Array {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')
  const xml = `<w:document><w:body>${body}</w:body></w:document>`
  return zipSync({ 'word/document.xml': strToU8(xml) })
}

describe('File (CO-38)', () => {
  test('reads the paragraphs of a Word document', async () => {
    expect(await read({ 'f/a.docx': docx('One &amp; two', 'Three') })).toBe('One & two\n\nThree')
  })

  test('reads the text of a PDF', async () => {
    expect(await read({ 'f/a.pdf': pdfOf(pageOf(['Hello PDF'])) })).toBe('Hello PDF')
  })

  test('reads the first sheet of an Excel file as a table', async () => {
    const made = writeXlsxFile([
      [{ value: 'name' }, { value: 'n' }],
      [{ value: 'Ann' }, { value: 3 }],
      [null, null],
      [{ value: 'Bob' }, null],
    ])
    const blob = await made.toBlob()
    const bytes = new Uint8Array(await blob.arrayBuffer())

    expect(await read({ 'f/a.xlsx': bytes }, {}, 'dataframe')).toEqual([
      { name: 'Ann', n: 3 },
      { name: 'Bob', n: null },
    ])
  })

  test('one CSV is a table, several files are a row each', async () => {
    const csv = strToU8('a,b\n1,x\n')
    expect(await read({ 'f/a.csv': csv }, {}, 'dataframe')).toEqual([{ a: 1, b: 'x' }])
    expect(await read({ 'f/a.csv': csv, 'f/b.txt': strToU8('B') }, {}, 'dataframe')).toEqual([
      { file_path: 'f/a.csv', text: 'a,b\n1,x\n' },
      { file_path: 'f/b.txt', text: 'B' },
    ])
  })

  test('unpacks tar, tgz and gz; hidden files are skipped', async () => {
    const tar = createTar([
      { name: 'a.txt', data: 'in tar' },
      { name: '.hidden.txt', data: 'no' },
      { name: 'x/.git/b.txt', data: 'no' },
    ])
    expect(await read({ 'f/t.tar': tar })).toBe('in tar')
    expect(await read({ 'f/t.tgz': gzipSync(tar) })).toBe('in tar')
    expect(await read({ 'f/a.txt.gz': gzipSync(strToU8('packed')) })).toBe('packed')
  })

  test('names that point outside an archive are skipped', async () => {
    const zip = zipSync({
      '../evil.txt': strToU8('evil'),
      '/abs.txt': strToU8('abs'),
      'ok.txt': strToU8('ok'),
    })
    expect(await read({ 'f/z.zip': zip })).toBe('ok')
  })

  test('CO-38: links in a tar file and the metadata of macOS in a zip file are skipped', async () => {
    const tar = createTar([
      { name: 'link.txt', data: 'elsewhere' },
      { name: 'a.txt', data: 'in tar' },
    ])
    // The type of the first entry: a symbolic link.
    tar[156] = '2'.charCodeAt(0)
    expect(await read({ 'f/t.tar': tar })).toBe('in tar')
    const zip = zipSync({ '__MACOSX/a.txt': strToU8('no'), 'a.txt': strToU8('yes') })
    expect(await read({ 'f/z.zip': zip })).toBe('yes')
  })

  test('CO-38: an archive with too many files is refused', async () => {
    const names = Array.from({ length: 10_001 }, (_, index) => [`${index}.txt`, new Uint8Array(0)])
    const zip = zipSync(Object.fromEntries(names) as Record<string, Uint8Array>, { level: 0 })
    await expect(read({ 'f/z.zip': zip })).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('CO-38: texts are decoded as UTF-16 if they have a BOM, and as Windows-1252 if they are not UTF-8', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, 0xe4, 0x00])
    const utf16be = new Uint8Array([0xfe, 0xff, 0x00, 0xe4])
    const windows = new Uint8Array([0xe4, 0x80, 0x93, 0x9f, 0x81])
    expect(await read({ 'f/a.txt': utf16 })).toBe('ä')
    expect(await read({ 'f/a.txt': utf16be })).toBe('ä')
    expect(await read({ 'f/a.txt': windows })).toBe('ä€“Ÿ\u0081')
  })

  test('a damaged archive and bzip2 give clear errors', async () => {
    await expect(read({ 'f/z.zip': strToU8('no zip') })).rejects.toThrow('Error unpacking z.zip')
    await expect(read({ 'f/z.bz2': strToU8('BZh') })).rejects.toThrow(
      'bzip2 archives are not supported',
    )
  })

  test('CO-38: the table of a Parquet file is refused with a clear error', async () => {
    const answer = read({ 'f/a.parquet': strToU8('PAR1') }, {}, 'structured')
    await expect(answer).rejects.toThrow(
      'Error loading file f/a.parquet (parquet): Parquet files cannot be read; save the table as CSV or Excel',
    )
  })

  test('unsupported files are named in the error unless they are ignored', async () => {
    const inputs = { ignore_unsupported_extensions: false }
    await expect(read({ 'f/a.exe': strToU8('x') }, inputs)).rejects.toThrow(
      'Unsupported file extension: .exe',
    )
  })

  test('a path over the edge replaces the chosen files', async () => {
    const files = { 'f/a.txt': strToU8('A'), 'f/b.txt': strToU8('B') }
    const inputs = { path: ['f/a.txt'], file_path: [createData({ file_path: 'f/b.txt' })] }
    expect(await read(files, inputs)).toBe('B')
    // One table was chosen, and something else is read.
    const table = { ...inputs, path: ['f/a.csv'] }
    expect(await read(files, table, 'dataframe')).toEqual([{ file_path: 'f/b.txt', text: 'B' }])
  })

  test('the advanced parser is not offered', async () => {
    await expect(read({ 'f/a.txt': strToU8('A') }, { advanced_mode: true })).rejects.toThrow(
      'The Advanced Parser is not supported',
    )
    const change = { field: 'advanced_mode', value: true }
    await expect(refreshNode(file, createNode(file), change)).rejects.toThrow('not supported')
  })

  test('CO-38: the outputs of the advanced parser are refused before any file is read', async () => {
    const asked: string[] = []
    const services = {
      files: {
        ...stored({}).files,
        read: async (path: string) => (asked.push(path), strToU8('A')),
      },
    }
    for (const [output, advanced_mode] of [
      ['advanced_dataframe', false],
      ['advanced_markdown', false],
      ['message', true],
    ] as const) {
      const inputs = { path: ['f/a.txt'], advanced_mode }
      await expect(testComponent(file, { output, inputs, services })).rejects.toThrow(
        'The Advanced Parser is not supported by this service; turn it off to read the file as text',
      )
    }
    expect(asked).toEqual([])
  })

  test('CO-38: a path typed by hand refers to a file of the user', async () => {
    const asked: unknown[] = []
    const files = {
      ...stored({}).files,
      read: async (path: string, scope: object) => (asked.push([path, scope]), strToU8('A')),
    }
    const inputs = { path: [], file_path_str: 'f/a.txt' }
    const facts = { flowId: 'flow', userId: 'u' }
    await testComponent(file, { output: 'message', inputs, services: { files }, ...facts })
    expect(asked).toEqual([['f/a.txt', facts]])
  })

  test('several files in the editor produce one table of texts', async () => {
    const change = { field: 'path', value: ['f/a.txt', 'f/b.txt'] }
    const after = await refreshNode(file, createNode(file), change)
    expect(after.data.node.outputs).toMatchObject([
      { name: 'dataframe', display_name: 'Files', method: 'load_files' },
    ])
  })

  test('the path output names the files without reading them', async () => {
    const { value } = await testComponent(file, {
      output: 'path',
      inputs: { path: ['f/none.txt', 'f/two.txt'] },
    })
    expect(value).toMatchObject({ text: 'f/none.txt\nf/two.txt' })
  })
})
