import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  MINIMAL_CATALOG_ID,
  minimalCatalogV08,
  STANDARD_CATALOG_ID,
  standardCatalogV08,
} from '@x/surface-protocol'
import { column } from './components.ts'

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const text = (id: string) => ({ id, component: { Text: { text: { literalString: id } } } })
const divider = (id: string) => ({ id, component: { Divider: {} } })
const begin = (root: string, more: object = {}) => ({
  beginRendering: { surfaceId: 's', root, ...more },
})

describe('beginning anew', () => {
  test('SP-21 SP-24: a new catalog validates stored and later components', () => {
    const store = createSurfaceStore({ catalogs: [standardCatalogV08, minimalCatalogV08] })
    const named = () => store.get('s')?.catalogId
    store.applyAll([update(text('r')), begin('r', { catalogId: MINIMAL_CATALOG_ID })])
    expect(store.apply(update(divider('d'))).applied).toBe(false)
    expect([store.apply(begin('r')).applied, named()]).toEqual([true, STANDARD_CATALOG_ID])
    expect(store.apply(update(divider('d'))).applied).toBe(true)
    expect(store.apply(begin('r', { catalogId: MINIMAL_CATALOG_ID })).diagnostics).toMatchObject([
      {
        code: 'invalid_component_type',
        severity: 'error',
        path: '/beginRendering/catalogId',
        componentId: 'd',
      },
    ])
    expect(named()).toBe(STANDARD_CATALOG_ID)
  })

  test('SP-21 SP-45: a smaller root names its nodes after one that was too large', () => {
    const store = createSurfaceStore({ limits: { treeNodes: 2 } })
    store.applyAll([update(column('r', 'a', 'b'), text('a'), text('b')), begin('r')])
    expect(() => store.tree('s')).toThrow(expect.objectContaining({ limit: 'treeNodes' }))
    expect(store.apply(begin('a')).change?.nodeIds).toEqual(['a'])
    expect(store.tree('s')?.id).toBe('a')
  })

  test('SP-24: an unknown catalog is reported where it is named', () => {
    const { diagnostics } = createSurfaceStore().apply(begin('r', { catalogId: 'urn:x' }))
    expect(diagnostics).toMatchObject([
      { code: 'unknown_catalog', path: '/beginRendering/catalogId' },
    ])
  })

  test('SP-26: a missing child is reported once, however many refer to it', () => {
    const store = createSurfaceStore()
    const card = (id: string) => ({ id, component: { Card: { child: 'x' } } })
    store.apply(update(column('r', 'a', 'b', 'y'), card('a'), card('b')))
    expect(store.apply(begin('r')).diagnostics).toMatchObject([
      { code: 'missing_child', componentId: 'a', related: ['x'] },
      { code: 'missing_child', componentId: 'r', related: ['y'] },
    ])
    expect(store.get('s')?.missing).toEqual(['x', 'y'])
  })

  test('SP-24: components that no catalog accepts are validated by the first', () => {
    const hints = [standardCatalogV08, minimalCatalogV08].map((first, index, all) => {
      const store = createSurfaceStore({ catalogs: [first, ...all.toSpliced(index, 1)] })
      const { diagnostics } = store.apply(update({ id: 'd', component: { Dividr: {} } }))
      return diagnostics.map(({ hint }) => hint)
    })
    expect(hints).toEqual([['Divider'], [undefined]])
  })
})

describe('components of one message', () => {
  test('SP-23 SP-37: a component that is sent twice writes its initial value at its last place', () => {
    const store = createSurfaceStore()
    const initial = (id: string, literalString: string) => ({
      id,
      component: { Text: { text: { path: 'x', literalString } } },
    })
    store.apply(update(initial('a', '1'), initial('b', '2'), initial('a', '3')))
    expect(store.getData('s', 'x')).toBe('3')
  })

  test('SP-25: a component that refers to itself is found among others', () => {
    const { diagnostics } = createSurfaceStore().apply(update(text('a'), column('b', 'a', 'b')))
    expect(diagnostics).toMatchObject([
      {
        code: 'circular_reference',
        path: '/surfaceUpdate/components/1/component/Column/children/explicitList/1',
        componentId: 'b',
        related: ['b'],
      },
    ])
  })
})

describe('watchers', () => {
  test('SP-22 SP-88: watchers that ended with their surface are counted no more, and only once', () => {
    const store = createSurfaceStore({ limits: { watchers: 1 } })
    const watch = () => store.watchData('s', 'x', () => undefined)
    for (let life = 0; life < 3; life += 1) {
      store.apply(update(text('r')))
      watch()
      expect(watch).toThrow(expect.objectContaining({ limit: 'watchers' }))
      store.apply({ deleteSurface: { surfaceId: 's' } })
    }
  })
})
