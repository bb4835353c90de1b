import { describe, expect, test } from 'vitest'
import { createMemoryKnowledge } from './knowledge.ts'

const embedding = { provider: 'OpenAI', model: 'text-embedding-3-small', apiKey: 'sk-1' }

describe('createMemoryKnowledge', () => {
  test('bases given at the start are visible to every user', async () => {
    const knowledge = createMemoryKnowledge({ shared: { model: 'm' } })
    expect(await knowledge.get('shared', { userId: 'ann' })).toMatchObject({
      name: 'shared',
      embedding: { provider: 'OpenAI', model: 'm' },
    })
    expect(await knowledge.get('toString', {})).toBeNull()
  })

  test('a base belongs to the user who made it', async () => {
    const knowledge = createMemoryKnowledge()
    await knowledge.create('mine', embedding, { userId: 'ann' })

    expect(await knowledge.list({ userId: 'ann' })).toEqual(['mine'])
    expect(await knowledge.list({ userId: 'bob' })).toEqual([])
    expect(await knowledge.get('mine', { userId: 'bob' })).toBeNull()
  })

  test('a name can be taken only once', async () => {
    const knowledge = createMemoryKnowledge()
    await knowledge.create('kb', embedding, {})
    await expect(knowledge.create('kb', embedding, {})).rejects.toMatchObject({ code: 'conflict' })
  })
})
