import type { NodeEntry } from '@x/flow-engine/internal'
import {
  differenceSummary,
  displayName,
  flowDifference,
  placeOf,
  shownValue,
} from './flow-difference.ts'
import type { FlowDifference } from './flow-difference.ts'
import { edgesOf } from './flow-edges.ts'
import { STYLE } from './svg-style.ts'

type State = 'added' | 'removed' | 'changed' | 'moved' | 'same'
type Side = 'before' | 'after'

const SIGNS: Readonly<Record<State, string>> = {
  added: '+ ',
  removed: '- ',
  changed: '~ ',
  moved: '',
  same: '',
}
const BOX = 260
const ROW = 16
const MARGIN = 40
const TOP = 90
const MAX_WIDTH = 2400
const MAX_HEIGHT = 4000
/** Of larger flows, only what changed and its neighbours are shown. */
const MAX_NODES = 80
/** Most nodes on one side, so that the picture stays within 512 KiB. */
const MAX_SHOWN = 200
const MAX_FIELDS = 6
const MAX_TEXT = 40

/** Both flows side by side as one SVG picture that is readable in light and dark. */
export function flowDiffSvg(before: unknown, after: unknown): string {
  const difference = flowDifference(before, after)
  const states = statesOf(difference)
  const edges = {
    before: edgesOf(before).filter(({ text }) => text.length <= 1000),
    after: edgesOf(after).filter(({ text }) => text.length <= 1000),
  }
  const shown = shownIds(difference, states, [...edges.before, ...edges.after])
  const fields = new Map(difference.diff.nodes.changed.map(({ id, fields: all }) => [id, all]))
  const boxes = {
    before: boxesOf(difference.before, shown),
    after: boxesOf(difference.after, shown),
  }
  const all = [...boxes.before.values(), ...boxes.after.values()]
  const left = lowest(all.map(({ x }) => x))
  const top = lowest(all.map(({ y }) => y))
  const heightOf = (id: string): number => {
    const count = fields.get(id)?.length ?? 0
    return 46 + ROW * Math.min(count, MAX_FIELDS + 1)
  }
  const panel =
    highest(
      all.map(({ x }) => x - left + BOX),
      BOX,
    ) +
    2 * MARGIN
  const height =
    highest(
      all.map(({ y, id }) => y - top + heightOf(id)),
      0,
    ) +
    TOP +
    2 * MARGIN
  const place = (
    side: Side,
    id: string,
  ): { readonly x: number; readonly y: number } | undefined => {
    const box = boxes[side].get(id)
    const shift = (side === 'after' ? panel : 0) + MARGIN - left
    return box === undefined ? undefined : { x: box.x + shift, y: box.y - top + TOP }
  }
  const draw = (side: Side): string => {
    const other = new Set(edges[side === 'before' ? 'after' : 'before'].map(({ text }) => text))
    const paths = edges[side].flatMap(({ source, target, text }) => {
      const [from, to] = [place(side, source), place(side, target)]
      if (from === undefined || to === undefined) return []
      const state = other.has(text) ? 'same' : side === 'before' ? 'removed' : 'added'
      return [pathOf({ from, to, text, state })]
    })
    const nodes = [...boxes[side].keys()].map((id) => {
      const at = place(side, id) ?? { x: 0, y: 0 }
      const node = difference[side].get(id)
      const state = states.get(id) ?? 'same'
      const rows = rowsOf(fields.get(id) ?? [], side)
      return nodeOf({ id, node, side, state, at, height: heightOf(id), rows })
    })
    const title = side === 'before' ? 'Before' : 'After'
    const x = (side === 'after' ? panel : 0) + MARGIN
    return `<text class="side" x="${x}" y="40">${title}</text>${paths.join('')}${nodes.join('')}`
  }
  const width = 2 * panel
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height)
  const missing =
    new Set([...difference.before.keys(), ...difference.after.keys()]).size - shown.size
  const note =
    missing === 0
      ? ''
      : `<text class="note" x="${MARGIN}" y="64">${missing} unchanged node${missing === 1 ? ' is' : 's are'} not shown</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" viewBox="0 0 ${Math.round(width)} ${Math.round(height)}">`,
    `<title id="title">${escape(cut(difference.name, 200))}</title>`,
    `<desc id="desc">${escape(cut(`${difference.name}: ${differenceSummary(difference)}`, 400))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="100%" height="100%"/>`,
    note,
    draw('before'),
    draw('after'),
    `</svg>\n`,
  ].join('\n')
}

function statesOf({ diff, before, after, moved }: FlowDifference): ReadonlyMap<string, State> {
  const states = new Map<string, State>(
    [...before.keys(), ...after.keys()].map((id) => [id, 'same']),
  )
  for (const id of moved) states.set(id, 'moved')
  for (const { id } of diff.nodes.changed) states.set(id, 'changed')
  for (const id of diff.nodes.added) states.set(id, 'added')
  for (const id of diff.nodes.removed) states.set(id, 'removed')
  return states
}

function shownIds(
  { before, after }: FlowDifference,
  states: ReadonlyMap<string, State>,
  edges: readonly { readonly source: string; readonly target: string }[],
): ReadonlySet<string> {
  const all = new Set([...before.keys(), ...after.keys()])
  if (all.size <= MAX_NODES) return all
  const changed = new Set([...all].filter((id) => states.get(id) !== 'same'))
  const near = new Set(changed)
  for (const { source, target } of edges) {
    if (changed.has(source) && all.has(target)) near.add(target)
    if (changed.has(target) && all.has(source)) near.add(source)
  }
  return new Set([...near].slice(0, MAX_SHOWN))
}

interface Box {
  readonly id: string
  readonly x: number
  readonly y: number
}

function boxesOf(
  nodes: ReadonlyMap<string, NodeEntry>,
  shown: ReadonlySet<string>,
): ReadonlyMap<string, Box> {
  const boxes = [...nodes]
    .filter(([id]) => shown.has(id))
    .map(([id, node]) => [id, { id, ...placeOf(node) }] as const)
  return new Map(boxes)
}

interface Row {
  readonly name: string
  readonly value: string
}

function rowsOf(
  fields: FlowDifference['diff']['nodes']['changed'][number]['fields'],
  side: Side,
): Row[] {
  const rows = fields.slice(0, MAX_FIELDS).map(({ field, from, to }) => ({
    name: field,
    value: shownValue(side === 'before' ? from : to),
  }))
  const left = fields.length - rows.length
  return left === 0 ? rows : [...rows, { name: `and ${left} more`, value: '' }]
}

interface Drawn {
  readonly id: string
  readonly node: NodeEntry | undefined
  readonly side: Side
  readonly state: State
  readonly at: { readonly x: number; readonly y: number }
  readonly height: number
  readonly rows: readonly Row[]
}

function nodeOf({ id, node, side, state, at, height, rows }: Drawn): string {
  const name = cut(`${SIGNS[state]}${displayName(node, id)}`, MAX_TEXT)
  const lines = rows.map(({ name: field, value }, row) => {
    const text = value === '' ? field : cut(`${field}: ${value}`, MAX_TEXT)
    return `<text class="field" x="12" y="${58 + ROW * row}">${escape(text)}</text>`
  })
  return [
    `<g data-node="${escape(cut(id, 1000))}" data-side="${side}" data-state="${state}" class="${state}" transform="translate(${at.x} ${at.y})">`,
    `<rect class="box" width="${BOX}" height="${height}" rx="8"/>`,
    `<text class="name" x="12" y="20">${escape(name)}</text>`,
    `<text class="type" x="12" y="37">${escape(cut(node?.type ?? '', MAX_TEXT))}</text>`,
    ...lines,
    '</g>',
  ].join('')
}

function pathOf(edge: {
  readonly from: { readonly x: number; readonly y: number }
  readonly to: { readonly x: number; readonly y: number }
  readonly text: string
  readonly state: State
}): string {
  const [x1, y1, x2, y2] = [edge.from.x + BOX, edge.from.y + 23, edge.to.x, edge.to.y + 23]
  const bend = Math.max(30, Math.abs(x2 - x1) / 2)
  const sign = SIGNS[edge.state].trim()
  const mark =
    sign === ''
      ? ''
      : `<text class="mark ${edge.state}" x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - 6}">${sign}</text>`
  return `<path data-edge="${escape(edge.text)}" data-state="${edge.state}" class="edge ${edge.state}" d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}"/>${mark}`
}

function cut(text: string, length: number): string {
  const all = Array.from(text.slice(0, 4 * length))
  return all.length > length ? `${all.slice(0, length - 1).join('')}…` : text
}

/** Text for XML 1.0: escaped, and without the characters that it cannot hold. */
function escape(text: string): string {
  return text
    .replaceAll(LONE, '\ufffd')
    .replaceAll(/[\p{Cc}\ufffe\uffff\u2028\u2029]+/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

const lowest = (all: readonly number[]): number =>
  all.reduce((least, one) => Math.min(least, one), all[0] ?? 0)
const highest = (all: readonly number[], least: number): number =>
  all.reduce((most, one) => Math.max(most, one), least)

const LONE = /[\ud800-\udfff]/gu
