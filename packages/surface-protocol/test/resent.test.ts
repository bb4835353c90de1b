import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSurfaceStore, type JsonValue, type SurfaceStore } from '@x/surface-protocol'
import { formatTree } from '@x/surface-protocol/testing'
import { stateOfStore } from '../src/store/store.ts'

type Component = { id: string; component: Record<string, object>; weight?: number }

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const text = (id: string, value: object, more: object = {}): Component => ({
  id,
  component: { Text: { text: value } },
  ...more,
})
const column = (id: string, ...ids: string[]): Component => ({
  id,
  component: { Column: { children: { explicitList: ids } } },
})
const list = (id: string, componentId: string, dataBinding: string): Component => ({
  id,
  component: { List: { children: { template: { componentId, dataBinding } } } },
})
const begin = { beginRendering: { surfaceId: 's', root: 'r' } }

/** Size as SP-89 defines it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 8)
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item), 8)
}

/** The counters of a store beside what they should be. */
function expectCounters(store: SurfaceStore): void {
  let buffered = 0
  for (const [id, { graph, data, status }] of stateOfStore(store).surfaces) {
    const view = store.get(id)
    const components = view?.components ?? []
    const sizes = components.reduce((sum, component) => sum + sizeOf(component), 0)
    expect(graph.size).toBe(sizes)
    expect(graph.weighted).toBe(components.filter(({ weight }) => weight !== undefined).length)
    expect(data.size).toBe(sizeOf(view?.data))
    if (status !== 'rendered') buffered += sizes + sizeOf(view?.data)
  }
  expect(stateOfStore(store).buffered).toBe(buffered)
}

/** The visible properties of each node, by id: its children count by their ids. */
function ownLooks(store: SurfaceStore): Map<string, string> {
  const looks = new Map<string, string>()
  for (const line of formatTree(store.tree('s')).split('\n')) {
    const [id = ''] = line.trim().split(' ')
    looks.set(id, line.trim())
  }
  return looks
}

describe('components that are sent again', () => {
  const rendered = (): SurfaceStore => {
    const store = createSurfaceStore()
    store.applyAll([
      update(
        column('r', 'a', 'b', 'l'),
        text('a', { path: 'x' }),
        text('b', { literalString: 'b' }),
      ),
      update(list('l', 'i', '/rows'), text('i', { path: 'n' })),
      begin,
    ])
    store.setData('s', '/rows', { k1: { n: 'one' }, k2: { n: 'two' } })
    return store
  }

  test('SP-23 SP-42: with equal content they are named, but nothing looks different', () => {
    const store = rendered()
    for (const component of store.get('s')?.components ?? []) {
      const { change, applied } = store.apply(update(component))
      expect(applied).toBe(true)
      expect(change).toMatchObject({ componentIds: [component.id], dataPaths: [], nodeIds: [] })
    }
    expectCounters(store)
  })

  test('SP-23 SP-42: with changed content only their own instances look different', () => {
    const store = rendered()
    const nodeIds = (...components: object[]) => store.apply(update(...components)).change?.nodeIds
    expect(nodeIds(text('b', { literalString: 'c' }))).toEqual(['b'])
    expect(nodeIds(text('b', { literalString: 'c' }, { weight: 2 }))).toEqual(['b'])
    expect(nodeIds(text('b', { literalString: 'c' }))).toEqual(['b'])
    expect(nodeIds(text('i', { path: 'n', literalString: '-' }))).toEqual([])
    expect(nodeIds(text('i', { path: 'm', literalString: '-' }))).toEqual(['i:k1', 'i:k2'])
    expect(nodeIds({ id: 'i', component: { Divider: {} } })).toEqual(['i:k1', 'i:k2'])
    expect(nodeIds(column('r', 'b', 'a', 'l'))).toEqual(['r'])
    expect(nodeIds(column('r', 'b', 'new'))).toEqual(['r', 'new'])
    expect(nodeIds(column('r', 'l'))).toEqual(['r', 'l', 'i:k1', 'i:k2'])
    expectCounters(store)
  })

  test('SP-20 SP-89: a refused one leaves the old one and all counters', () => {
    const store = rendered()
    const before = store.get('s')
    const bad = store.apply(update(text('a', { literalString: 'new' }), column('l', 'r')))
    expect(bad.diagnostics).toMatchObject([{ code: 'circular_reference' }])
    expect(store.apply(update(text('a', { literalString: 'new' }), { id: 'b' })).applied).toBe(
      false,
    )
    expect(store.get('s')).toEqual(before)
    expectCounters(store)
  })

  test('SP-37: each component update initialises again', () => {
    const store = rendered()
    const initial = text('a', { path: 'x', literalString: 'first' })
    expect(store.apply(update(initial)).change).toMatchObject({ dataPaths: ['/x'], nodeIds: ['a'] })
    store.setData('s', '/x', 'other')
    expect(store.apply(update(initial)).change).toMatchObject({ dataPaths: ['/x'], nodeIds: ['a'] })
    expect(store.getData('s', '/x')).toBe('first')
    expect(store.apply(update(initial)).change).toMatchObject({ dataPaths: ['/x'], nodeIds: [] })
    expectCounters(store)
  })

  const ids = ['r', 'a', 'b', 'c', 'd']
  /** References lead to later ids only, so that no message closes a loop. */
  const component = fc
    .record({
      at: fc.nat(ids.length - 1),
      kind: fc.nat(5),
      value: fc.constantFrom('x', 'y', 'ü', ''),
      weight: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      picks: fc.array(fc.nat(ids.length), { maxLength: 4 }),
    })
    .map(({ at, kind, value, weight, picks }): Component => {
      const id = ids[at] ?? 'r'
      const later = [...ids.slice(at + 1), 'gone']
      const children = picks.map((pick) => later[pick % later.length] ?? 'gone')
      const share = weight === undefined ? {} : { weight }
      if (id === 'r' || kind === 0) return { ...column(id, ...children), ...share }
      if (kind === 1) return { ...list(id, children[0] ?? 'gone', '/rows'), ...share }
      if (kind === 2)
        return text(id, { path: value === '' ? 'x' : value, literalString: value }, share)
      return text(id, kind === 3 ? { literalString: value } : { path: `m/${value}` }, share)
    })
  const write = fc.record({
    path: fc.constantFrom('/rows', '/rows/k1', '/m', '/m/x', '/x'),
    value: fc.constantFrom<JsonValue>({}, { k1: { n: 'one' }, k2: {} }, { x: 'v', y: 'w' }, 'ü', [
      'q',
    ]),
  })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.array(component, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: write },
  )

  test('SP-23 SP-42 SP-89: any sequence leaves what a fresh store has, and tells of what differs', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const store = createSurfaceStore()
        store.applyAll([update(column('r', 'a', 'b')), begin])
        for (const one of steps) {
          const before = ownLooks(store)
          const { change, applied } = Array.isArray(one)
            ? store.apply(update(...one))
            : store.setData('s', one.path, one.value)
          const now = ownLooks(store)
          // A write beyond the end of an array is refused and changes nothing.
          expect(applied || isDeepStrictEqual(now, before)).toBe(true)
          const differing = [...now].filter(([id, look]) => before.get(id) !== look)
          expect(change?.nodeIds ?? []).toEqual(differing.map(([id]) => id))
          expectCounters(store)
        }
        const fresh = createSurfaceStore()
        fresh.applyAll(store.snapshot('s'))
        expect(ownLooks(fresh)).toEqual(ownLooks(store))
      }),
      { numRuns: 150 },
    )
  })

  test('SP-88 SP-89: buffered size follows surfaces that come, go and begin', () => {
    const store = createSurfaceStore()
    const into = (surfaceId: string, components: object[]) =>
      store.apply({ surfaceUpdate: { surfaceId, components } })
    into('s', [text('r', { literalString: 'x' })])
    into('t', [text('r', { literalString: 'yy' })])
    expectCounters(store)
    store.apply(begin)
    into('t', [text('r', { literalString: 'y' }), text('q', { path: 'a', literalString: 'v' })])
    expectCounters(store)
    store.apply({ deleteSurface: { surfaceId: 't' } })
    expect(stateOfStore(store).buffered).toBe(0)
    store.apply({ beginRendering: { surfaceId: 's', root: 'missing' } })
    expectCounters(store)
    expect(stateOfStore(store).buffered).toBeGreaterThan(0)
  })
})
