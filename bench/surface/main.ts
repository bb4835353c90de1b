// Prints how the hot paths of the built package compare with JSON.parse of the same lines, and fails above a bar.
import { createJsonLinesParser, createSurfaceStore, type SurfaceStore } from '@x/surface-protocol'
import { report, type Figure } from '../lib/report.ts'
import { bigUpdate, boundUpdates, dataUpdates, mixedLines, singleUpdates } from './cases.ts'
import { sizes } from './bundle-size.ts'
import { channelRow } from './channel-v09.ts'
import { applyChunks, applyLines, chunksOf, parseAll } from './lines.ts'
import { mutate } from './mutate.ts'
import { rowsV09, type Row } from './main-v09.ts'
import { compare, heapUsed } from './measure.ts'

/** The store of the last round: a process at work is never without one. */
let kept: SurfaceStore | undefined

function mixed(): Row[] {
  const lines = mixedLines(100_000)
  const chunks = chunksOf(lines)
  const whole = compare(
    () => parseAll(lines),
    () => {
      kept = createSurfaceStore()
      applyChunks(kept, chunks)
    },
  )
  const decoder = compare(
    () => parseAll(lines),
    () => {
      const parser = createJsonLinesParser()
      for (const chunk of chunks) parser.push(chunk)
    },
  )
  const store = createSurfaceStore()
  applyChunks(store, chunks)
  const before = heapUsed()
  for (let round = 0; round < 3; round += 1) applyChunks(store, chunks)
  const growth = (heapUsed() / before - 1) * 100
  return [
    row('100,000 mixed lines over 100 surfaces', 6, whole),
    row('decoder alone', 2.5, decoder),
    { name: 'heap growth after three more rounds', bar: 10, value: growth, unit: '%' },
  ]
}

function row(name: string, bar: number, measured: ReturnType<typeof compare>): Row {
  const { bound, ours, ratio } = measured
  return { name, bar, value: ratio, unit: 'x', bound, ours }
}

function onFreshStore(name: string, bar: number, lines: readonly string[]): Row {
  const repeat = lines.length < 10 ? 50 : Math.ceil(30_000 / lines.length)
  const measured = compare(
    () => parseAll(lines),
    () => {
      kept = createSurfaceStore()
      applyLines(kept, lines)
    },
    { repeat },
  )
  return row(name, bar, measured)
}

function rendered(): Row {
  const lines = boundUpdates(1000)
  const store = createSurfaceStore()
  applyLines(store, bigUpdate(1000))
  let heard = 0
  store.watchNode('s', 'c0', () => {
    heard += 1
  })
  const measured = compare(
    () => parseAll(lines),
    () => {
      for (const line of lines) {
        const { change } = store.apply(JSON.parse(line))
        heard += change?.nodeIds.length ?? 0
      }
    },
    { repeat: 10 },
  )
  if (heard === 0) throw new Error('No node was told of')
  return row('1,000 data updates on a rendered surface of 1,000', 10, measured)
}

const rows: Row[] = [
  ...mixed(),
  onFreshStore('one update with 1,000 components, beginRendering', 5, bigUpdate(1000)),
  onFreshStore('1,000 updates with one component, beginRendering', 6, singleUpdates(1000)),
  onFreshStore('10,000 data updates, not rendered', 5, dataUpdates(10_000)),
  rendered(),
  ...rowsV09(),
  await channelRow(),
  ...(await sizes()),
]
const mutated = mutate(100_000)

report('surface', [
  ...rows.map(figureOf),
  {
    name: 'mutated messages that throw',
    value: mutated.thrown.length,
    unit: '',
    limit: 0,
    note: `${mutated.messages} messages, ${mutated.refused} refused`,
  },
])

function figureOf({ name, bar, value, unit, bound, ours, atLeast }: Row): Figure {
  const sides = bound !== undefined && ours !== undefined
  return {
    name,
    value,
    unit,
    limit: bar,
    ...(atLeast === true ? { better: 'higher' as const } : {}),
    ...(sides ? { note: `${ours.toFixed(2)} ms against ${bound.toFixed(2)} ms` } : {}),
  }
}
