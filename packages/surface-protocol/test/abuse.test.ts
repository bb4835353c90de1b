import { expect, test } from 'vitest'
import { createSurfaceStore } from '@x/surface-protocol'
import { mutate } from '../../../bench/surface/mutate.ts'

test('SP-2 SP-32: damaged messages give diagnostics, never an exception, and leave prototypes clean', () => {
  const { messages, refused, thrown } = mutate(5000)
  expect(thrown).toEqual([])
  expect(refused).toBeGreaterThan(messages / 2)
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('SP-25 SP-88: a message full of loops is refused in bounded work', () => {
  const store = createSurfaceStore()
  const ids = Array.from({ length: 3000 }, (_, n) => `c${n}`)
  const components = ids.map((id, n) => ({
    id,
    component: { Row: { children: { explicitList: [...ids.slice(n, n + 20), 'c0'] } } },
  }))
  const { applied, diagnostics } = store.apply({ surfaceUpdate: { surfaceId: 's', components } })
  expect(applied).toBe(false)
  expect(diagnostics[0]?.code).toBe('circular_reference')
})

test('SP-45 SP-88: a small message cannot grow a tree without end', () => {
  const store = createSurfaceStore()
  const components = Array.from({ length: 60 }, (_, n) => ({
    id: `c${n}`,
    component: { Row: { children: { explicitList: [`c${n + 1}`, `c${n + 1}`] } } },
  }))
  store.apply({ surfaceUpdate: { surfaceId: 's', components } })
  store.apply({ beginRendering: { surfaceId: 's', root: 'c0' } })
  expect(() => store.tree('s')).toThrow(expect.objectContaining({ limit: 'treeNodes' }))
  expect(store.setData('s', '/a', 1).applied).toBe(true)
})
