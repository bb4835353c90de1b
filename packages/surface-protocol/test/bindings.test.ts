import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  createUserAction,
  type JsonValue,
  type SurfaceStoreOptions,
} from '@x/surface-protocol'
import { formatTree } from '@x/surface-protocol/testing'
import { column, each, text } from './components.ts'

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const begin = { beginRendering: { surfaceId: 's', root: 'r' } }
const replace = (contents: object[]) => ({ dataModelUpdate: { surfaceId: 's', contents } })

const rendered = (components: object[], data: JsonValue = {}, options?: SurfaceStoreOptions) => {
  const store = createSurfaceStore(options)
  store.applyAll([update(...components), begin])
  if (Object.keys(data ?? {}).length > 0) store.setData('s', '', data)
  return store
}

describe('bound values', () => {
  test('SP-29: an index of an array has no leading zeros', () => {
    const store = createSurfaceStore()
    store.apply({ dataModelUpdate: { surfaceId: 's', contents: [] } })
    store.setData('s', 'list', ['a', 'b'])
    expect([store.getData('s', 'list/1'), store.getData('s', 'list/01')]).toEqual(['b', undefined])
    const { diagnostics } = store.setData('s', 'list/01', 'c')
    expect(diagnostics).toMatchObject([{ code: 'invalid_path' }])
  })

  test('SP-30: escapes are undone from right to left', () => {
    const store = rendered([text('r', { path: '/a~01/b~10' })], { 'a~1': { 'b/0': 'x' } })
    expect(store.tree('s')?.properties.text).toBe('x')
  })

  test('SP-11 SP-34: a string that looks like JSON or a path stays a string', () => {
    const store = createSurfaceStore()
    const action = { name: 'go', context: [{ key: 'k', value: { path: 'x' } }] }
    store.applyAll([
      {
        surfaceUpdate: {
          surfaceId: 's',
          components: [
            { id: 'r', component: { Button: { child: 't', action } } },
            { id: 't', component: { Text: { text: { path: 'x' } } } },
          ],
        },
      },
      { beginRendering: { surfaceId: 's', root: 'r' } },
    ])
    for (const value of ['{"a":1}', '[1]', '/x', '<b>', 'null', '1']) {
      store.setData('s', 'x', value)
      expect(createUserAction(store, { surfaceId: 's', nodeId: 'r' }).userAction.context).toEqual({
        k: value,
      })
      expect(formatTree(store.tree('s'))).toContain(`text=${JSON.stringify(value)}`)
    }
  })

  test('SP-33: a literal that looks like nothing is a value', () => {
    const shown = (component: object) => rendered([{ id: 'r', component }]).tree('s')?.properties
    expect(shown({ Text: { text: { literalString: '' } } })).toEqual({ text: '' })
    expect(shown({ Slider: { value: { literalNumber: 0 } } })).toEqual({ value: 0 })
    const label = { path: 'none' }
    expect(shown({ CheckBox: { label, value: { literalBoolean: false } } })).toEqual({
      label: null,
      value: false,
    })
    expect(
      shown({ MultipleChoice: { selections: { literalArray: [] }, options: [] } }),
    ).toMatchObject({ selections: [] })
  })

  test('SP-35: a missing value is not a scalar', () => {
    for (const value of [undefined, null]) {
      const store = rendered([each('r', 'i', '/rows'), text('i', { path: '.' })], {})
      if (value === null) store.setData('s', 'rows', value)
      expect(store.tree('s')?.properties.children).toEqual([])
      expect(store.get('s')?.diagnostics).toEqual([])
    }
  })

  test('SP-36: a key with a dot wins over the same key split, segment by segment', () => {
    const inner = (d: string) => ({ c: { d } })
    const store = rendered([text('r', { path: '/a.b/c.d' })], {
      'a.b': inner('x'),
      a: { b: inner('y') },
    })
    expect(store.tree('s')?.properties.text).toBe('x')
  })

  test('SP-36: only compatible mode splits at dots and reads absolute paths in the item', () => {
    const components = [each('r', 'm', '/v'), each('m', 'i', '/w'), text('i', { path: '/n' })]
    const data = { n: 'root', w: { z: {} }, v: { a: { w: { b: { n: 'item' } } } } }
    const compatible = rendered(components, data)
    expect(JSON.stringify(compatible.tree('s'))).toContain('"id":"i:a:b"')
    expect(JSON.stringify(compatible.tree('s'))).toContain('"text":"item"')
    const told = compatible.get('s')?.diagnostics.map(({ code, related }) => [code, related])
    expect(told?.toSorted()).toEqual([
      ['compatible_path', ['i:a:b']],
      ['compatible_path', ['m:a']],
    ])
    const pointer = rendered(components, data, { pathMode: 'pointer' })
    expect(JSON.stringify(pointer.tree('s'))).toContain('"id":"i:a:z"')
    expect(JSON.stringify(pointer.tree('s'))).toContain('"text":"root"')
    expect(pointer.get('s')?.diagnostics).toEqual([])
    const dotted = [text('r', { path: 'user.names[0]' })]
    const user = { user: { names: ['x'] } }
    expect(rendered(dotted, user).tree('s')?.properties.text).toBe('x')
    expect(rendered(dotted, user, { pathMode: 'pointer' }).tree('s')?.properties.text).toBeNull()
  })

  test('SP-37: the literal of a template component counts wherever it is shown, of others never', () => {
    const both = rendered([
      column('r', 'l', 'i', 'o'),
      each('l', 'i', 'v'),
      text('i', { path: '/n', literalString: 'inside' }),
      text('o', { path: '/o', literalString: 'outside' }),
    ])
    expect(both.getData('s')).toEqual({ o: 'outside' })
    const shown = () =>
      [both.tree('s')?.properties.children as { properties: { text?: unknown } }[]]
        .flat()
        .map(({ properties }) => properties.text)
    expect(shown()).toEqual([undefined, 'inside', 'outside'])
    both.apply(replace([]))
    expect(shown()).toEqual([undefined, 'inside', null])
  })

  test('SP-38 SP-88: a local write has the limits of a message', () => {
    const store = rendered([text('r', { path: 'a' })], {}, { limits: { dataDepth: 2 } })
    expect(store.setData('s', '/a', { b: { c: 1 } }).applied).toBe(true)
    expect(store.setData('s', '/a', { b: { c: { d: 1 } } }).diagnostics).toMatchObject([
      { code: 'limit_exceeded', limit: 'dataDepth' },
    ])
    expect(store.setData('s', '', [1]).diagnostics).toMatchObject([{ code: 'invalid_type' }])
    expect(store.setData('s', '/a~2', 1).diagnostics).toMatchObject([{ code: 'invalid_path' }])
    expect(store.getData('s')).toEqual({ a: { b: { c: 1 } } })
  })

  test('SP-40: a key with half a surrogate pair has an id too', () => {
    const store = rendered([each('r', 'i', 'v'), text('i', { path: '.' })], {
      v: { '\ud83d': 'x' },
    })
    expect(JSON.stringify(store.tree('s'))).toContain('"id":"i:%EF%BF%BD"')
  })
})

describe('watchers', () => {
  test('SP-43: data above, at and below a path, but not beside it', () => {
    const store = rendered([text('r', { path: 'a' })], { m: { x: { y: 1 }, z: 1 } })
    const heard: unknown[] = []
    store.watchData('s', '/m/x', (value) => heard.push(value))
    store.setData('s', '/m/x/y', 2)
    store.setData('s', '/m/x', 3)
    store.setData('s', '/m', { x: 4 })
    store.apply(replace([]))
    expect(heard).toEqual([{ y: 2 }, 3, 4, undefined])
    store.setData('s', '/m', { z: 5 })
    store.setData('s', '/m/z', 6)
    expect(heard).toHaveLength(5)
  })

  test('SP-43: one that was ended by another hears nothing more, failures of promises are reported', async () => {
    const failures: unknown[] = []
    const store = rendered(
      [text('r', { path: 'a' })],
      {},
      { onListenerError: (error) => failures.push(error) },
    )
    const heard: string[] = []
    store.watchData('s', 'a', () => {
      stop()
      heard.push('first')
    })
    const stop = store.watchData('s', 'a', () => heard.push('second'))
    const later: () => unknown = () => Promise.reject(new Error('later'))
    store.on('surface.changed', later)
    store.setData('s', '/a', 1)
    expect(heard).toEqual(['first'])
    await Promise.resolve()
    expect(failures).toMatchObject([{ message: 'later' }])
  })
})
