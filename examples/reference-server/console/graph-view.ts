import { byId } from './elements.ts'

/** A flow as the API gives it, as far as its drawing needs. */
export interface FlowGraph {
  readonly nodes: readonly {
    readonly id: string
    readonly type?: string
    readonly position?: { readonly x: number; readonly y: number }
    readonly data?: { readonly node?: { readonly display_name?: string } }
  }[]
  readonly edges: readonly { readonly source: string; readonly target: string }[]
}

export type NodeState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped'

const WIDTH = 320
const HEIGHT = 90
const SVG = 'http://www.w3.org/2000/svg'

/** Draws the nodes of a flow where its editor has put them. */
export function drawGraph({ nodes, edges }: FlowGraph): void {
  const shown = nodes.filter(({ type }) => type !== 'noteNode')
  const at = new Map(shown.map(({ id, position = { x: 0, y: 0 } }) => [id, position]))
  const svg = document.createElementNS(SVG, 'svg')
  for (const { source, target } of edges) {
    const [from, to] = [at.get(source), at.get(target)]
    if (from === undefined || to === undefined) continue
    const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2]
    const middle = (x1 + x2) / 2
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`)
    svg.append(path)
  }
  for (const { id, position = { x: 0, y: 0 }, data } of shown)
    svg.append(drawNode(id, data?.node?.display_name ?? id, position))
  const box = frame([...at.values()])
  const names = shown.map(({ id, data }) => data?.node?.display_name ?? id)
  svg.setAttribute('viewBox', box)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', names.length === 0 ? 'No nodes' : names.join(', '))
  // Words stay readable on a narrow page, which scrolls the drawing instead.
  svg.style.minWidth = `${Math.min(Number(box.split(' ')[2]) * 0.42, 2400)}px`
  byId('graph', HTMLDivElement).replaceChildren(svg)
}

function drawNode(id: string, label: string, { x, y }: { x: number; y: number }): SVGGElement {
  const group = document.createElementNS(SVG, 'g')
  group.dataset['id'] = id
  group.dataset['state'] = 'waiting'
  const box = document.createElementNS(SVG, 'rect')
  const text = document.createElementNS(SVG, 'text')
  const attributes = { x, y, width: WIDTH, height: HEIGHT, rx: 14 }
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, String(value))
  text.setAttribute('x', String(x + 20))
  text.setAttribute('y', String(y + HEIGHT / 2 + 9))
  text.textContent = label
  const note = document.createElementNS(SVG, 'text')
  note.classList.add('note')
  note.setAttribute('x', String(x + WIDTH - 20))
  note.setAttribute('y', String(y + HEIGHT + 30))
  group.append(box, text, note, document.createElementNS(SVG, 'title'))
  return group
}

function frame(positions: readonly { readonly x: number; readonly y: number }[]): string {
  if (positions.length === 0) return '0 0 100 100'
  const margin = 40
  const xs = positions.map(({ x }) => x)
  const ys = positions.map(({ y }) => y)
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin]
  const width = Math.max(...xs) + WIDTH + margin - left
  const height = Math.max(...ys) + HEIGHT + margin + 30 - top
  return `${left} ${top} ${width} ${height}`
}

/** Says below a node how long it took, or what failed; the whole reason shows on hover. */
export function showNote(id: string, note: string, reason: string | null): void {
  for (const node of document.querySelectorAll<SVGGElement>('#graph g')) {
    if (node.dataset['id'] !== id) continue
    const [line, title] = [node.querySelector('.note'), node.querySelector('title')]
    if (line !== null) line.textContent = note
    if (title !== null) title.textContent = reason ?? ''
  }
}

/** Shows the state of a node; all of them when no id is given. */
export function showState(state: NodeState, id?: string): void {
  for (const node of document.querySelectorAll<SVGGElement>('#graph g'))
    if (id === undefined || node.dataset['id'] === id) {
      node.dataset['state'] = state
      const note = node.querySelector('.note')
      if (state === 'waiting' && note !== null) note.textContent = ''
    }
}

/** What the drawing calls a node. */
export function nameOf(id: string): string {
  for (const node of document.querySelectorAll<SVGGElement>('#graph g'))
    if (node.dataset['id'] === id) return node.querySelector('text')?.textContent ?? id
  return id
}
