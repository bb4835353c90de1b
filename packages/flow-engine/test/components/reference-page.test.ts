import { expect, test } from 'vitest'
import { componentReference } from '../../../../tools/component-reference.ts'

test('FE-45: docs/reference/components.md lists the built-in components', async () => {
  const { current, wanted } = await componentReference()
  expect(current, 'run: npm run docs:components').toBe(wanted)
})
