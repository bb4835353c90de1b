import { describe, expect, expectTypeOf, test } from 'vitest'
import { createEvents } from './index.ts'

interface Users {
  'user.created': { readonly id: string }
  'user.deleted': { readonly id: string; readonly hard: boolean }
}

const TYPES = { 'user.created': true, 'user.deleted': true } as const

describe('createEvents', () => {
  test('HO-65 gives each event its type, to listeners of all events as a union of all', () => {
    const { source, emit } = createEvents<Users>(TYPES)
    const seen: unknown[] = []
    source.on('user.created', (event) => {
      expectTypeOf(event.type).toEqualTypeOf<'user.created'>()
      seen.push(event)
    })
    source.on('*', (event, name) => {
      expect(event.type).toBe(name)
      if (event.type === 'user.deleted') expectTypeOf(event.hard).toEqualTypeOf<boolean>()
      switch (event.type) {
        case 'user.created':
        case 'user.deleted': {
          seen.push(event.type)
          break
        }
        default: {
          expectTypeOf(event).toBeNever()
        }
      }
    })
    emit('user.created', { id: 'a' })
    emit('user.deleted', { id: 'a', hard: true })
    expect(seen).toEqual([{ type: 'user.created', id: 'a' }, 'user.created', 'user.deleted'])
  })

  test('HO-66 reports listeners that throw or reject with the name of the event, and calls the others', async () => {
    const errors: unknown[] = []
    const { source, emit } = createEvents<Users>(TYPES, (error, { event }) =>
      errors.push(`${event}: ${String(error)}`),
    )
    const seen: string[] = []
    source.on('user.created', () => {
      throw new Error('first')
    })
    source.on('*', () => Promise.reject(new Error('second')))
    source.on('user.created', ({ id }) => seen.push(id))
    emit('user.created', { id: 'a' })
    await Promise.resolve()
    await Promise.resolve()
    expect(seen).toEqual(['a'])
    expect(errors).toEqual(['user.created: Error: first', 'user.created: Error: second'])
  })

  test('HO-66 calls in one order, and minds changes from the next event on', () => {
    const { source, emit } = createEvents<Users>(TYPES)
    const seen: string[] = []
    const remove = [() => source.off('user.created', late)]
    const late = (): void => void seen.push('late')
    source.on('*', () => {
      seen.push('any')
      for (const one of remove.splice(0)) one()
      source.once('user.created', () => void seen.push('added'))
    })
    source.on('user.created', late)
    emit('user.created', { id: 'a' })
    expect(seen).toEqual(['any', 'late'])
    emit('user.created', { id: 'b' })
    expect(seen).toEqual(['any', 'late', 'any', 'added'])
  })

  test('HO-64 removes listeners through the returned function, off, once and a signal', () => {
    const { source, emit, wants } = createEvents<Users>(TYPES)
    const seen: string[] = []
    const listener = ({ id }: { readonly id: string }): void => void seen.push(id)
    source.on('user.created', listener)()
    source.on('user.created', listener)
    source.off('user.created', listener)
    source.once('user.created', listener)()
    const controller = new AbortController()
    source.on('*', listener, { signal: controller.signal })
    controller.abort()
    source.on('user.created', listener, { signal: controller.signal })
    expect(wants('user.created')).toBe(false)
    emit('user.created', { id: 'a' })
    expect(seen).toEqual([])
    source.once('user.created', listener)
    emit('user.created', { id: 'b' })
    emit('user.created', { id: 'c' })
    expect(seen).toEqual(['b'])
  })

  test('HO-64 refuses a type that no event has', () => {
    const { source } = createEvents<Users>(TYPES)
    expect(() => source.on('user.create' as never, () => undefined)).toThrow(
      new TypeError('on: unknown event "user.create". Known events: user.created, user.deleted, *'),
    )
    expect(() => source.once('user.created', 1 as never)).toThrow('once: the listener must be')
    expect('emit' in source).toBe(false)
  })
})
