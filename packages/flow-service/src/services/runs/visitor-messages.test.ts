import { expect, test } from 'vitest'
import { createVisitorMessages } from './visitor-messages.ts'

function setUp() {
  const removed: string[] = []
  const store = {
    messages: {
      remove: async (ids: readonly string[], userId?: string | null) => {
        expect(userId).toBeNull()
        removed.push(...ids)
      },
    },
  } as never
  return { removed, messages: createVisitorMessages({ store }) }
}

test('AB-54 the oldest messages of the visitors of a flow are removed beyond 64 Mi characters', async () => {
  const { removed, messages } = setUp()
  const text = 'x'.repeat(1024 * 1024)
  for (let n = 0; n < 70; n += 1) await messages.stored('flow', { id: `${n}`, text } as never)
  await messages.stored('other', { id: 'other', text } as never)
  expect(removed).toEqual(['0', '1', '2', '3', '4', '5', '6'])
})

test('AB-54 the oldest messages are removed beyond 10,000; a changed message counts once', async () => {
  const { removed, messages } = setUp()
  for (let n = 0; n < 10_000; n += 1) {
    await messages.stored('flow', { id: `${n}` })
    await messages.stored('flow', { id: `${n}` })
  }
  expect(removed).toEqual([])
  await messages.stored('flow', { id: 'one more' })
  expect(removed).toEqual(['0'])
})
