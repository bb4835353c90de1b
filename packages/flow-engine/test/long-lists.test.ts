import { expect, test } from 'vitest'
import { parseHtmlPage } from '../src/components/web/html-page.ts'
import { descendantsOf, parseXml } from '../src/components/web/xml-tree.ts'
import { adminToken, send } from './support/client.ts'
import { createTestEngine } from './support/engine.ts'

const MANY = 150_000

test('source code with a very long list is validated', async () => {
  const engine = await createTestEngine()
  const token = await adminToken(engine)
  const code = `export const list = [${'1,'.repeat(MANY)}]`
  const { status } = await send(engine, '/api/v1/validate/code', { token, json: { code } })
  expect(status).toBe(200)
  await engine.close()
})

test('HTML pages and XML documents with very many siblings are parsed', async () => {
  const siblings = '<b>a</b>'.repeat(MANY)
  const page = await parseHtmlPage(`<p>${siblings}</p>`)
  expect(page.texts()).toHaveLength(MANY)
  expect(descendantsOf(await parseXml(`<p>${siblings}</p>`), 'b')).toHaveLength(MANY)
})
