import { describe, expect, test } from 'vitest'
import { createEvents } from './index.ts'

interface Events {
  'user.created': { readonly id: string }
  'user.deleted': { readonly id: string; readonly hard: boolean }
}

describe('createEvents', () => {
  test('delivers to the listeners of the event and to wildcard listeners', () => {
    const { source, emit } = createEvents<Events>()
    const seen: unknown[] = []
    source.on('user.created', (event) => seen.push(event))
    source.on('*', (event, name) => seen.push([name, event]))
    emit('user.created', { id: 'a' })
    emit('user.deleted', { id: 'a', hard: true })
    expect(seen).toEqual([
      { id: 'a' },
      ['user.created', { id: 'a' }],
      ['user.deleted', { id: 'a', hard: true }],
    ])
  })

  test('reports listeners that throw or reject and calls the others', async () => {
    const errors: unknown[] = []
    const { source, emit } = createEvents<Events>((error) => errors.push(error))
    const seen: string[] = []
    const rejecting = Promise.reject(new Error('second')) as unknown as undefined
    source.on('user.created', () => {
      throw new Error('first')
    })
    source.on('user.created', () => rejecting)
    source.on('user.created', ({ id }) => seen.push(id))
    emit('user.created', { id: 'a' })
    await Promise.resolve()
    await Promise.resolve()
    expect(seen).toEqual(['a'])
    expect(errors.map(String)).toEqual(['Error: first', 'Error: second'])
  })

  test('unsubscribes through the returned function and through off', () => {
    const { source, emit } = createEvents<Events>()
    const seen: string[] = []
    const listener = ({ id }: { readonly id: string }): void => {
      seen.push(id)
    }
    source.on('user.created', listener)()
    emit('user.created', { id: 'a' })
    source.on('user.created', listener)
    source.off('user.created', listener)
    emit('user.created', { id: 'b' })
    expect(seen).toEqual([])
  })
})
