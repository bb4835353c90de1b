import { expect, test } from 'vitest'
import { applyStream, createSurfaceStore, parseMessage, validateMessage } from '@x/surface-protocol'
import { column, text } from './components.ts'
import { costOf } from './cost.ts'

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const listing = (explicitList: string[]) =>
  update({ id: 'c', component: { Column: { children: { explicitList } } } })
const repeated = (count: number) => listing(Array<string>(count).fill('x'))
const pairs = (count: number) => {
  const ids = Array.from({ length: count }, (_, n) => `x${n}`)
  return listing([...ids, ...ids])
}

/** Milliseconds of the slowest of the four ways in; all of them must say the same of the message. */
async function slowest(message: object) {
  const line = JSON.stringify(message)
  const times: number[] = []
  const codes: unknown[] = []
  const timed = async (run: () => unknown) => {
    times.push(await costOf(async () => codes.push(await run())))
  }
  await timed(() => createSurfaceStore().apply(message).diagnostics.length)
  await timed(() => validateMessage(message).diagnostics.length)
  await timed(async () => {
    const source = (async function* () {
      yield `${line}\n`
    })()
    for await (const { diagnostics } of applyStream(createSurfaceStore(), source)) {
      return diagnostics.length
    }
    return undefined
  })
  await timed(() => {
    try {
      parseMessage(line)
    } catch (error) {
      return (error as { diagnostics: object[] }).diagnostics.length
    }
    return undefined
  })
  return { time: Math.max(...times), codes }
}

test('AB-1: a line that lists one child 260,000 times is refused in linear time', async () => {
  const { time, codes } = await slowest(repeated(260_000))
  expect(time).toBeLessThan(5000)
  expect(codes).toEqual([1, 1, 1, 1])
})

test(
  'AB-1: 50,000 children twice, and 32 KB of one child, cost what their length is worth',
  { tags: ['long'] },
  async () => {
    const both = await slowest(pairs(50_000))
    expect(both.time).toBeLessThan(5000)
    expect(both.codes.slice(0, 3)).toEqual([101, 101, 101])
    const small = await slowest(repeated(7_500))
    expect(small.time).toBeLessThan(1000)
    expect(small.codes.slice(0, 3)).toEqual([101, 101, 101])
  },
)

test('AB-1: references are limited in one component and in one surface', () => {
  const limits = { references: 10, surfaceReferences: 25 }
  const store = createSurfaceStore({ limits })
  const ids = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}${n}`)
  const apply = (id: string, count: number) => {
    const { applied, diagnostics } = store.apply(update(column(id, ...ids(id, count))))
    return applied || diagnostics.map(({ code, limit }) => [code, limit])
  }
  expect(apply('a', 11)).toEqual([['limit_exceeded', 'references']])
  expect([apply('a', 10), apply('b', 10)]).toEqual([true, true])
  expect(apply('c', 6)).toEqual([['limit_exceeded', 'surfaceReferences']])
  expect(apply('c', 5)).toBe(true)
  expect(apply('a', 4)).toBe(true)
  expect(apply('d', 6)).toBe(true)
})

test('AB-1: a shared child is given up and taken back by many parents in linear time', async () => {
  const store = createSurfaceStore()
  const parents = Array.from({ length: 10_000 }, (_, n) => `p${n}`)
  const cost = await costOf(() => {
    for (const child of ['x', 'y', 'x', 'y']) {
      store.apply(update(...parents.map((id) => column(id, child, child))))
    }
  })
  expect(cost).toBeLessThan(10_000)
  expect(store.get('s')?.components).toHaveLength(10_000)
})

test('AB-2: 9,000 bound fields at the end of a chain of 40,000 components', async () => {
  const store = createSurfaceStore()
  const card = (n: number) => ({ id: `c${n}`, component: { Card: { child: `c${n + 1}` } } })
  const times: number[] = []
  const apply = async (components: object[]) => {
    const message = update(...components)
    times.push(await costOf(() => expect(store.apply(message).applied).toBe(true)))
  }
  for (let from = 0; from < 40_000; from += 10_000) {
    await apply(Array.from({ length: 10_000 }, (_, n) => card(from + n)))
  }
  const fields = Array.from({ length: 9000 }, (_, n) => `f${n}`)
  const bound = fields.map((id) => text(id, { path: `/v/${id}`, literalString: id }))
  await apply([column('c40000', ...fields), ...bound])
  await apply(bound)
  expect(Math.max(...times)).toBeLessThan(5000)
  expect(store.getData('s', '/v/f8999')).toBe('f8999')
})

test.each([
  ['alone', []],
  ['below a root that references all of it', Array.from({ length: 4000 }, (_, n) => `c${n}`)],
])('AB-2: a chain that grows upwards message by message, %s', async (_, known) => {
  const store = createSurfaceStore()
  store.apply(update(column('top', ...known)))
  store.apply({ beginRendering: { surfaceId: 's', root: 'field' } })
  store.apply(update(text('field', { path: 'v', literalString: 'x' })))
  let child = 'field'
  const cost = await costOf(() => {
    for (let n = 0; n < 4000; n += 1) {
      const field = text(`f${n}`, { path: `v${n}`, literalString: 'x' })
      if (!store.apply(update(column(`c${n}`, child, `f${n}`), field)).applied) break
      child = `c${n}`
    }
  })
  expect(child).toBe('c3999')
  expect(cost).toBeLessThan(10_000)
})

test('SP-37 AB-2: membership in a template is recomputed after each change', () => {
  const store = createSurfaceStore()
  const list = {
    id: 'list',
    component: { List: { children: { template: { componentId: 'row', dataBinding: '/rows' } } } },
  }
  const row = { id: 'row', component: { Card: { child: 'name' } } }
  const name = (key: string) => text('name', { path: key, literalString: 'x' })
  store.apply(update(list, row, name('/a')))
  expect(store.getData('s')).toEqual({})
  store.apply(update({ id: 'list', component: { Divider: {} } }))
  store.apply(update(name('/a')))
  expect(store.getData('s')).toEqual({ a: 'x' })
})

test('AB-3: rendered surfaces count towards the total of a store, and deleting gives the room back', () => {
  const store = createSurfaceStore({ limits: { totalSize: 100_000 } })
  const fill = (surfaceId: string) => {
    store.apply({ surfaceUpdate: { surfaceId, components: [text('root', { path: '/v' })] } })
    store.apply({ beginRendering: { surfaceId, root: 'root' } })
    const contents = [{ key: 'v', valueString: 'x'.repeat(40_000) }]
    const { diagnostics } = store.apply({ dataModelUpdate: { surfaceId, contents } })
    return diagnostics.map(({ limit }) => limit)
  }
  expect([fill('a'), fill('b'), fill('c')]).toEqual([[], [], ['totalSize']])
  expect(store.get('c')?.data).toEqual({})
  store.apply({ deleteSurface: { surfaceId: 'a' } })
  expect(fill('d')).toEqual([])
})

test('AB-3: styles of a surface count too', () => {
  const store = createSurfaceStore({ limits: { totalSize: 10_000 } })
  const begin = (size: number) =>
    store.apply({
      beginRendering: { surfaceId: 's', root: 'r', styles: { font: 'x'.repeat(size) } },
    })
  expect(begin(9000).applied).toBe(true)
  expect(begin(9500).applied).toBe(true)
  expect(begin(10_000).diagnostics.at(0)).toMatchObject({ limit: 'totalSize' })
  expect(store.get('s')?.styles.font).toHaveLength(9500)
})
