import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operationReference } from '../../../tools/operation-reference.ts'

test('docs/reference/operations.md lists the operations that the service routes', async () => {
  const { page, path } = await operationReference()
  expect(readFileSync(path, 'utf8'), 'run: npm run docs:operations').toBe(page)
})
