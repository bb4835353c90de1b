import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scimAttributeReference } from '../../../tools/scim-attribute-reference.ts'

test('docs/reference/scim-attributes.md lists the attributes that /Schemas serves', async () => {
  const { page, path } = await scimAttributeReference()
  expect(readFileSync(path, 'utf8'), 'run: npm run docs:attributes').toBe(page)
})
