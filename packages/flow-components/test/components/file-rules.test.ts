import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { file } from '@x/flow-components'
import { createData, type Data } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

type Files = Readonly<Record<string, string | Uint8Array>>

async function read(files: Files, inputs: Record<string, unknown> = {}, output = 'message') {
  const bytes = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? strToU8(content) : content,
    ]),
  )
  const { value } = await testComponent(file, {
    output,
    inputs: { path: Object.keys(files), ...inputs },
    services: {
      files: {
        read: (path) => Promise.resolve(bytes.get(path) ?? null),
        write: (path) => Promise.resolve(path),
        list: () => Promise.resolve([]),
      },
    },
  })
  return value
}

const textOf = async (files: Files, inputs: Record<string, unknown> = {}): Promise<unknown> =>
  ((await read(files, inputs)) as Message).text

describe('File (CO-38)', () => {
  test('CO-38: texts are joined by the separator; name, size and type are those of the first file', async () => {
    const files = { 'f/ü.md': 'Ä', 'f/b.txt': 'B' }
    const message = (await read(files)) as Message
    expect(message.text).toBe('Ä\n\nB')
    expect(message.data).toMatchObject({
      filename: 'ü.md',
      file_size: 2,
      mimetype: 'text/markdown',
    })
    expect(await textOf(files, { separator: ' | ' })).toBe('Ä | B')
  })

  test.each(
    'csv txt md mdx yaml yml xml html htm py sh sql js ts tsx'.split(' ').map((name) => [name]),
  )('CO-38: %s is read as text', async (extension) => {
    expect(await textOf({ [`f/a.${extension}`]: 'x: 1' })).toBe('x: 1')
  })

  test('CO-38: JSON is reformatted compactly; the error for broken JSON names its file', async () => {
    expect(await textOf({ 'f/a.json': '{ "a" : [ 1, 2 ] }' })).toBe('{"a":[1,2]}')
    await expect(read({ 'f/a.json': '{"a"' })).rejects.toThrow('Error loading file f/a.json: ')
  })

  test('CO-38: the JSON output is the parsed object, for other files their text', async () => {
    const data = async (text: string): Promise<unknown> =>
      ((await read({ 'f/a.json': text }, {}, 'json')) as Data).data
    expect(await data('{"a": 1}')).toEqual({ a: 1 })
    expect(await data('[1, 2]')).toEqual({ value: '[1,2]' })
    expect(await data('7')).toEqual({ value: '7' })
  })

  // The recorded words tell to switch the Advanced Parser on, which then tells to switch it off.
  test.for([
    ['a.png', 'it is a picture; attach it to the chat to show it to the model'],
    ['a.xlsx', "use the output 'Structured Content', or save it as CSV"],
    ['a.xls', 'save it as XLSX or CSV'],
    ['a.docm', 'save it as DOCX or PDF'],
    ['a.pptx', 'it is a presentation; save it as PDF'],
    ['a.xhtml', 'save it as HTML'],
    ['a.adoc', 'save it as TXT or HTML'],
  ] as const)('CO-38: %s is not text, and the error suggests a solution', async ([name, help]) => {
    const error = (await read({ [`f/${name}`]: 'x' }).catch((reason: unknown) => reason)) as Error
    expect(error.message).toContain(`File '${name}' cannot be read as text`)
    expect(error.message).toContain(help)
    expect(error.message).not.toContain('Advanced Parser')
    const zip = zipSync({ [name]: strToU8('x') })
    await expect(read({ 'f/z.zip': zip })).rejects.toThrow(error.message)
  })

  test('CO-38, FF-64: ignored, absent and missing files are handled', async () => {
    expect(await textOf({ 'f/a.exe': 'x', 'f/b.txt': 'B' })).toBe('B')
    await expect(read({ 'f/a.exe': 'x', 'f/b': 'x', 'f/c.zip': zipSync({}) })).rejects.toThrow(
      "No files to process. 'a.exe' was left out: files of type .exe are not supported; save it as TXT, CSV, " +
        "JSON, PDF or DOCX. 'b' was left out: files without an extension are not supported; save it as TXT, " +
        "CSV, JSON, PDF or DOCX. 'c.zip' was left out: it contains no files of a supported type;",
    )
    await expect(read({})).rejects.toThrow(
      'Component Read File has no file: choose one in the node or give it with a tweak (path)',
    )
    await expect(read({}, { path: ['f/gone.txt'] })).rejects.toThrow(
      "File not found: 'f/gone.txt'. It is not part of the export; upload it and choose it in the node.",
    )
  })

  test('CO-38: silent errors are empty results', async () => {
    const silent = { silent_errors: true }
    expect(await textOf({}, silent)).toBe('')
    expect(await textOf({ 'f/a.json': '{"a"', 'f/b.txt': 'B' }, silent)).toBe('B')
    expect(await textOf({}, { ...silent, path: ['f/gone.txt'] })).toBe('')
    const broken = { 'f/a.xlsx': 'no table' }
    await expect(read(broken, {}, 'structured')).rejects.toThrow('Error loading file f/a.xlsx')
    const frame = (await read(broken, silent, 'structured')) as DataFrame
    expect(frame.rows).toEqual([])
  })

  test('CO-38: a path can be data or a message; data without a path is refused or ignored', async () => {
    const files = { 'f/a.txt': 'A', 'f/b.txt': 'B' }
    const path = ['f/a.txt']
    expect(await textOf(files, { path, file_path: [createMessage(' f/b.txt ')] })).toBe('B')
    const both = [createData({ file_path: 'f/b.txt' }), createMessage('f/a.txt')]
    expect(await textOf(files, { path, file_path: both })).toBe('B\n\nA')
    const nameless = { path, file_path: [createData({ x: 1 })] }
    await expect(read(files, nameless)).rejects.toThrow('has no key file_path')
    expect(await textOf(files, { ...nameless, ignore_unspecified_files: true })).toBe('A')
  })
})

describe('File as a tool (CO-23)', () => {
  test('CO-23: returns the text of the files, or the text of the error', async () => {
    const { signal } = new AbortController()
    const tools = async (files: Files) => (await read(files, {}, 'component_as_tool')) as Tool[]
    const [tool, ...others] = await tools({ 'f/a.txt': 'A' })
    expect(others).toEqual([])
    expect(tool).toMatchObject({ name: 'load_files_message', parameters: { properties: {} } })
    expect(await tool?.call({}, { signal })).toBe('A')
    const [broken] = await tools({ 'f/a.json': '{' })
    expect(await broken?.call({}, { signal })).toMatch(
      /^Error reading files: Error loading file f\/a\.json: /,
    )
  })
})
