import { describe, expect, test } from 'vitest'
import { createSurfaceStore, type JsonObject } from '@x/surface-protocol'
import { text } from './components.ts'

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const card = (id: string, child: string) => ({ id, component: { Card: { child } } })
const row = (id: string, ...ids: string[]) => ({
  id,
  component: { Row: { children: { explicitList: ids } } },
})
const each = (id: string, componentId: string, dataBinding: string) => ({
  id,
  component: { Row: { children: { template: { componentId, dataBinding } } } },
})
const shown = (components: object[], data: JsonObject = {}) => {
  const store = createSurfaceStore()
  store.applyAll([update(...components), { beginRendering: { surfaceId: 's', root: 'r' } }])
  if (Object.keys(data).length > 0) store.setData('s', '', data)
  return store
}

describe('nodes', () => {
  test('SP-39 SP-41: weights and scopes stand in the node, undefined ones have a scope too', () => {
    const weighted = { ...row('w', 'none'), weight: 2 }
    const store = shown([each('r', 'w', '/m')], { m: { 'a/b': {} } })
    store.apply(update(weighted))
    const scope = '/m/a~1b'
    expect(store.tree('s')?.properties.children).toEqual([
      {
        id: 'w:a%2Fb',
        componentId: 'w',
        type: 'Row',
        weight: 2,
        scope,
        properties: {
          children: [
            {
              id: 'none:a%2Fb',
              componentId: 'none',
              type: null,
              pending: true,
              scope,
              properties: {},
            },
          ],
        },
      },
    ])
  })

  test('SP-42: locations that were set are JSON Pointers', () => {
    const store = shown([])
    const entries = [{ key: 'a/b~c', valueString: 'x' }]
    const message = { dataModelUpdate: { surfaceId: 's', path: 'm~1n', contents: entries } }
    expect(store.apply(message).change?.dataPaths).toEqual(['/m~1n/a~1b~0c'])
  })

  test('SP-42: an entry that is added shows in its template, another type in its node', () => {
    const store = shown([row('r', 'e', 'x'), each('e', 'i', '/m'), text('i', { path: '.' })], {
      m: { a: '1', b: '2' },
    })
    store.apply(update(text('x', { literalString: 'x' })))
    expect(store.tree('s')?.id).toBe('r')
    const entries = (...keys: string[]) => ({
      dataModelUpdate: {
        surfaceId: 's',
        path: 'm',
        contents: keys.map((key) => ({ key, valueString: `new ${key}` })),
      },
    })
    expect(store.apply(entries('c')).change?.nodeIds).toEqual(['e', 'i:c'])
    expect(store.apply(entries('b', 'a')).change?.nodeIds).toEqual(['i:a', 'i:b'])
    const label = { id: 'x', component: { Divider: {} } }
    expect(store.apply(update(label)).change?.nodeIds).toEqual(['x'])
    const image = { id: 'x', component: { Video: { url: { path: 'u' } } } }
    store.apply(update(image))
    const sound = { id: 'x', component: { AudioPlayer: { url: { path: 'u' } } } }
    expect(store.apply(update(sound)).change?.nodeIds).toEqual(['x'])
  })

  test('SP-45: nodes that went away are counted no more', () => {
    const store = createSurfaceStore({ limits: { treeNodes: 3 } })
    store.applyAll([
      update(each('r', 'i', '/m'), text('i', { path: '.' })),
      { beginRendering: { surfaceId: 's', root: 'r' } },
    ])
    for (const [a, b] of ['ab', 'cd', 'ef', 'gh']) {
      store.setData('s', 'm', { [a ?? '']: 1, [b ?? '']: 2 })
      expect(store.tree('s')?.properties.children).toHaveLength(2)
    }
  })
})

describe('initial values', () => {
  test('SP-37: they are not written for what a template shows, however deep', () => {
    const store = createSurfaceStore()
    const initial = text('t', { path: 'x', literalString: 'y' })
    store.apply(update(each('r', 'a', '/m'), card('a', 'b'), card('b', 'c'), card('c', 't')))
    store.apply(update(initial))
    expect(store.getData('s')).toEqual({})
    store.apply(update(card('other', 'u'), text('u', { path: 'x', literalString: 'y' })))
    expect(store.getData('s')).toEqual({ x: 'y' })
  })

  test('SP-37 SP-42: a literal counts no more when the template lets its component go', () => {
    const store = shown([row('r', 'c'), each('b', 'c', '/rows')])
    store.apply(update(text('c', { path: 'x', literalString: 'y' })))
    const shownText = () => JSON.stringify(store.tree('s')?.properties.children)
    expect(shownText()).toContain('"text":"y"')
    expect(store.apply(update(row('b'))).change?.nodeIds).toEqual(['c'])
    expect(shownText()).toContain('"text":null')
    expect(store.apply(update(each('b', 'c', '/rows'))).change?.nodeIds).toEqual(['c'])
  })

  test('SP-37: the whole model is never one of them', () => {
    const store = createSurfaceStore()
    for (const path of ['', '/']) store.apply(update(text('t', { path, literalString: 'x' })))
    expect(store.getData('s')).toEqual({})
  })
})

test('SP-43: messages sent by a watcher are queued in order', () => {
  const store = shown([])
  const order: unknown[] = []
  const stop = store.watchData('s', 'x', () => {
    stop()
    for (const value of [2, 3]) store.setData('s', 'x', value)
    order.push(store.getData('s', 'x'))
  })
  store.watchData('s', 'x', (value) => void order.push(value))
  store.setData('s', 'x', 1)
  expect(order).toEqual([1, 1, 2, 3])
})

test('SP-36 SP-44: an absolute path in a template follows the root, the item and what the item gets', () => {
  const store = shown([each('r', 'i', '/m'), text('i', { path: '/t/x' })], {
    m: { a: { t: { x: '1' } }, b: {} },
    t: { x: '2' },
  })
  const texts = () => {
    const children = store.tree('s')?.properties.children
    return Array.isArray(children) ? children.map(({ properties }) => properties.text) : []
  }
  expect(texts()).toEqual(['1', '2'])
  expect(store.setData('s', '/m/a/t/x', '3').change?.nodeIds).toEqual(['i:a'])
  expect(store.setData('s', '/t/x', '4').change?.nodeIds).toEqual(['i:b'])
  expect(store.setData('s', '/m/b/t', { x: '5' }).change?.nodeIds).toEqual(['i:b'])
  expect(texts()).toEqual(['3', '5'])
})
