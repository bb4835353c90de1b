import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { readPage } from '../built-in/data-source/read-page.ts'
import { fileText } from '../built-in/files-and-knowledge/file-text.ts'
import { parseHtmlPage } from './html-page.ts'
import { parseXml } from './xml-tree.ts'

// With quadratic time, each of these would take minutes.
const OPEN = '<b>'.repeat(1_000_000)

test('AB-34 a page of only open tags is read in bounded time', { tags: ['long'] }, async () => {
  const html = `<title>Deep</title>${OPEN}${'</c>'.repeat(100_000)}<p>the end`
  const page = await readPage(html, 'https://example.com/', AbortSignal.timeout(15_000))
  expect(page.title).toBe('Deep')
  expect(page.text).toContain('the end')
})

test('AB-34 deeply nested documents are refused at once', async () => {
  const message = 'The document has elements more than 500 deep'
  await expect(parseXml(OPEN)).rejects.toThrow(message)
  await expect(parseHtmlPage(OPEN)).rejects.toThrow(message)
})

test('AB-35 a Word document with a deeply nested body is refused', async () => {
  const docx = zipSync({ 'word/document.xml': new TextEncoder().encode(OPEN) }, { level: 0 })
  const ctx = { services: {}, signal: AbortSignal.timeout(15_000) }
  await expect(fileText('deep.docx', docx, { ctx })).rejects.toThrow('more than 500 deep')
})
