import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  defaultLimits,
  minimalCatalogV08,
  standardCatalogV08,
  type SurfaceStoreOptions,
} from '@x/surface-protocol'

const shown = () => {
  const store = createSurfaceStore()
  const [, , { change } = { change: null }] = store.applyAll([
    {
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'r', component: { Text: { text: { path: 'list' } } } }],
      },
    },
    {
      dataModelUpdate: {
        surfaceId: 's',
        contents: [{ key: 'm', valueMap: [{ key: 'a', valueString: 'b' }] }],
      },
    },
    { beginRendering: { surfaceId: 's', root: 'r', styles: { font: 'Sans' } } },
  ])
  return { store, change }
}

/** Takes everything out of a value, however deep. */
const empty = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    empty(Reflect.get(value, key))
    Reflect.deleteProperty(value, key)
  }
}

describe('ownership', () => {
  test('SP-2: wrong options are refused at creation', () => {
    const wrong = [
      { catalogs: [] },
      { mode: 'loose' },
      { mode: null },
      { pathMode: 'loose' },
      { pathMode: null },
    ]
    for (const options of wrong) {
      expect(() => createSurfaceStore(options as unknown as SurfaceStoreOptions)).toThrow(TypeError)
    }
  })

  test('SP-4: changing returned values does not change the store', () => {
    const { store, change } = shown()
    const look = () => ({
      view: store.get('s'),
      tree: store.tree('s'),
      data: store.getData('s'),
      inner: store.getData('s', 'm'),
      messages: store.snapshot(),
      ids: store.surfaceIds(),
      nodeIds: change?.nodeIds,
    })
    const before = JSON.stringify(look())
    expect(before).toContain('"nodeIds":["r"]')
    const seen = look()
    for (const part of Object.values(seen)) empty(part)
    seen.nodeIds?.splice(0)
    expect(JSON.stringify(look())).toBe(before)
  })

  test('SP-4: shared values are frozen', () => {
    for (const shared of [standardCatalogV08, minimalCatalogV08]) {
      expect([Object.isFrozen(shared), Object.isFrozen(shared.types)]).toEqual([true, true])
    }
    expect(Object.isFrozen(defaultLimits)).toBe(true)
  })
})
