import {
  basicCatalogV09,
  createSurfaceStore,
  createUserAction,
  validateSubmission,
  type SurfaceStoreV09,
} from '@x/surface-protocol'
import { bigUpdateV09, boundUpdatesV09, mixedLinesV09 } from './cases-v09.ts'
import { applyChunks, applyLines, chunksOf, parseAll } from './lines.ts'
import { compare, heapUsed } from './measure.ts'

/** A measured goal; `atLeast` turns the bar around. */
export interface Row {
  readonly name: string
  readonly bar: number
  readonly value: number
  readonly unit: string
  readonly bound?: number
  readonly ours?: number
  readonly atLeast?: true
}

const version = '0.9.1'
/** The store of the last round: a process at work is never without one. */
let kept: SurfaceStoreV09 | undefined

/** The goals of version 0.9.1. */
export function rowsV09(): Row[] {
  return [...mixed(), big(), rendered(), templates(), submission()]
}

function mixed(): Row[] {
  const lines = mixedLinesV09(100_000)
  const chunks = chunksOf(lines)
  const { bound, ours, ratio } = compare(
    () => parseAll(lines),
    () => {
      kept = createSurfaceStore({ version })
      applyChunks(kept, chunks)
    },
  )
  const store = createSurfaceStore({ version })
  applyChunks(store, chunks)
  const before = heapUsed()
  for (let round = 0; round < 3; round += 1) applyChunks(store, chunks)
  const growth = (heapUsed() / before - 1) * 100
  const name = '0.9.1: 100,000 mixed lines over 100 surfaces'
  return [
    { name, bar: 6, value: ratio, unit: 'x', bound, ours },
    { name: '0.9.1: heap growth after three more rounds', bar: 10, value: growth, unit: '%' },
  ]
}

function big(): Row {
  const lines = bigUpdateV09(1000)
  const measured = compare(
    () => parseAll(lines),
    () => {
      kept = createSurfaceStore({ version })
      applyLines(kept, lines)
    },
    { repeat: 50 },
  )
  const { ratio: value, ...times } = measured
  return { name: '0.9.1: one update with 1,000 components', bar: 5, value, unit: 'x', ...times }
}

function rendered(): Row {
  const lines = boundUpdatesV09(1000)
  const store = createSurfaceStore({ version })
  applyLines(store, bigUpdateV09(1000))
  let heard = 0
  store.watchNode('s', 'c0', () => {
    heard += 1
  })
  const measured = compare(
    () => parseAll(lines),
    () => {
      for (const line of lines) heard += store.apply(JSON.parse(line)).change?.nodeIds.length ?? 0
    },
    { repeat: 10 },
  )
  if (heard === 0) throw new Error('No node was told of')
  const { ratio: value, ...times } = measured
  const name = '0.9.1: 1,000 data updates on a rendered surface of 1,000'
  return { name, bar: 10, value, unit: 'x', ...times }
}

function begun(components: readonly object[]): SurfaceStoreV09 {
  const store = createSurfaceStore({ version })
  const { catalogId } = basicCatalogV09
  store.apply({ version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId } })
  store.apply({ version: 'v0.9.1', updateComponents: { surfaceId: 's', components } })
  return store
}

function templates(): Row {
  const store = begun([])
  store.setData('s', '/user', { name: 'Ida', city: 'Rome', age: 42 })
  const template = '${/user/name} of ${/user/city} is ${/user/age}'
  const value = { call: 'formatString', args: { value: template } }
  const run = (count: number): number => {
    const start = process.cpuUsage()
    for (let n = 0; n < count; n += 1) store.evaluate('s', value)
    const { user, system } = process.cpuUsage(start)
    return (count / (user + system)) * 1_000_000
  }
  run(100_000)
  const name = '0.9.1: formatString with 3 bindings, evaluations'
  return { name, bar: 400_000, value: run(100_000), unit: '/s', atLeast: true }
}

function submission(): Row {
  const ids = Array.from({ length: 50 }, (_, n) => `f${n}`)
  const context = Object.fromEntries(ids.map((id) => [id, { path: `/${id}` }]))
  const inputs = ids.map((id) => {
    const value = { path: `/${id}` }
    const checks = [
      { condition: { call: 'required', args: { value } }, message: 'Needed.' },
      { condition: { call: 'length', args: { value, max: 50 } }, message: 'Too long.' },
    ]
    return { id, component: 'TextField', label: id, value, checks }
  })
  const store = begun([
    { id: 'root', component: 'Column', children: [...ids, 'send'] },
    ...inputs,
    { id: 'send', component: 'Button', child: 'label', action: { event: { name: 'go', context } } },
    { id: 'label', component: 'Text', text: 'Send' },
  ])
  for (const id of ids) store.setData('s', `/${id}`, 'something')
  const message = createUserAction(store, { surfaceId: 's', nodeId: 'send' })
  const run = (count: number): number => {
    const start = process.cpuUsage()
    for (let n = 0; n < count; n += 1) {
      if (validateSubmission(store, message).message === null) throw new Error('Refused')
    }
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000 / count
  }
  run(300)
  const name = '0.9.1: validateSubmission, 50 inputs with 2 checks each'
  return { name, bar: 2, value: run(300), unit: 'ms' }
}
