import { describe } from 'vitest'
import { blocksOf, load } from './blocks.ts'

const PAGE = 'docs/guides/test-flows.md'
const FLOW = new URL('../../examples/in-process-tests/flow.json', import.meta.url)

// The blocks of the page are tests themselves: loading them here registers them.
for (const [index, code] of (await blocksOf(PAGE)).entries()) {
  const placed = code
    .replace("new URL('flow.json', import.meta.url)", `new URL('${FLOW.href}')`)
    .replace('new URL(name, import.meta.url)', `new URL(name, '${FLOW.href}')`)
  describe(`${PAGE}, block ${index + 1}`, async () => {
    await load(`test-flows-${index}`, placed)
  })
}
