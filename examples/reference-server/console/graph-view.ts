import { byId } from './elements.ts'

/** The parts of a flow that are drawn. */
export interface FlowGraph {
  readonly nodes: readonly {
    readonly id: string
    readonly type?: string
    readonly position?: { readonly x: number; readonly y: number }
    readonly data?: {
      readonly node?: {
        readonly display_name?: string
        /** The nodes of a group. */
        readonly flow?: { readonly data?: FlowGraph | null }
      }
    }
  }[]
  readonly edges: readonly {
    readonly id?: string
    readonly source: string
    readonly target: string
  }[]
}

export type NodeState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped'

const WIDTH = 320
const HEIGHT = 90
const SVG = 'http://www.w3.org/2000/svg'

/** Draws the nodes of a flow at their positions in the editor. */
export function drawGraph({ nodes, edges }: FlowGraph): void {
  const shown = nodes.filter(({ type }) => type !== 'noteNode')
  const at = new Map(shown.map(({ id, position = { x: 0, y: 0 } }) => [id, position]))
  const svg = document.createElementNS(SVG, 'svg')
  for (const { id = '', source, target } of edges) {
    const [from, to] = [at.get(source), at.get(target)]
    if (from === undefined || to === undefined) continue
    const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2]
    const middle = (x1 + x2) / 2
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`)
    path.dataset['edge'] = id
    svg.append(path)
  }
  for (const { id, position = { x: 0, y: 0 }, data } of shown)
    svg.append(drawNode(id, data?.node?.display_name ?? id, position))
  const box = frame([...at.values()])
  const names = shown.map(({ id, data }) => data?.node?.display_name ?? id)
  svg.setAttribute('viewBox', box)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', names.length === 0 ? 'No nodes' : names.join(', '))
  // On a narrow page the drawing scrolls, so that text stays readable.
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

/** Shows the duration or the failure of a node below it. */
export function showNote(id: string, note: string): void {
  const line = nodeOf(id)?.querySelector('.note')
  if (line) line.textContent = note
}

function nodeOf(id: string): SVGGElement | undefined {
  const nodes = document.querySelectorAll<SVGGElement>('#graph g')
  return [...nodes].find((node) => node.dataset['id'] === id)
}

/** Maximum lines of a remark, and characters of a line. */
const LINES = 4
const WIDE = 31
const LINE_HEIGHT = 26

/** The source of a remark about a node: the check of the flow, or a run. */
type Source = 'check' | 'run'

/** Shows a remark below a node, replacing the earlier one of the same source; the full text is shown on hover. */
export function showRemark(
  id: string,
  text: string,
  severity: 'error' | 'warning',
  by: Source,
): void {
  const node = nodeOf(id)
  const box = node?.querySelector('rect')
  if (node === undefined || box === null || box === undefined) return
  if (by === 'check') node.dataset['check'] = severity
  remarkOf(node, by)?.remove()
  const [x, y] = [Number(box.getAttribute('x')), Number(box.getAttribute('y'))]
  const above = node.querySelectorAll('.remark tspan').length
  const remark = document.createElementNS(SVG, 'text')
  remark.classList.add('remark')
  Object.assign(remark.dataset, { by, severity, text })
  const lines = wrap(text)
  for (const [index, line] of lines.entries()) {
    const span = document.createElementNS(SVG, 'tspan')
    span.setAttribute('x', String(x + 4))
    span.setAttribute('y', String(y + HEIGHT + 30 + (above + index + 1) * LINE_HEIGHT))
    span.textContent = line
    remark.append(span, ' ')
  }
  node.append(remark)
  showWhole(node)
  makeRoom(y + HEIGHT + 50 + (above + lines.length) * LINE_HEIGHT)
}

/** Removes all remarks of a source. */
export function clearRemarks(by: Source): void {
  for (const node of document.querySelectorAll<SVGGElement>('#graph g')) {
    remarkOf(node, by)?.remove()
    showWhole(node)
  }
}

/** True if a remark of the node contains the text. */
export function hasRemark(id: string, text: string): boolean {
  const node = nodeOf(id)
  return (
    node !== undefined && remarksOf(node).some(({ dataset }) => dataset['text']?.includes(text))
  )
}

const remarksOf = (node: SVGGElement): SVGTextElement[] => [
  ...node.querySelectorAll<SVGTextElement>('.remark'),
]

const remarkOf = (node: SVGGElement, by: Source): SVGTextElement | undefined =>
  remarksOf(node).find(({ dataset }) => dataset['by'] === by)

function showWhole(node: SVGGElement): void {
  const title = node.querySelector('title')
  const texts = remarksOf(node).map(({ dataset }) => dataset['text'])
  if (title !== null) title.textContent = texts.join(' ')
}

/** Marks an invalid edge. */
export function markEdge(id: string): void {
  for (const path of document.querySelectorAll<SVGPathElement>('#graph path'))
    if (path.dataset['edge'] === id) path.dataset['check'] = 'error'
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= WIDE) lines[lines.length - 1] = longer
    else if (line === '') lines[lines.length - 1] = `${word.slice(0, WIDE - 1)}…`
    else lines.push(word.length > WIDE ? `${word.slice(0, WIDE - 1)}…` : word)
  }
  if (lines.length <= LINES) return lines
  const last = lines[LINES - 1] ?? ''
  return [...lines.slice(0, LINES - 1), `${last.slice(0, WIDE - 1)}…`]
}

/** Extends the drawing down to this position. */
function makeRoom(bottom: number): void {
  const svg = document.querySelector<SVGSVGElement>('#graph svg')
  const [left = 0, top = 0, width = 0, height = 0] =
    svg?.getAttribute('viewBox')?.split(' ').map(Number) ?? []
  if (bottom > top + height) svg?.setAttribute('viewBox', `${left} ${top} ${width} ${bottom - top}`)
}

/** Sets the state of a node; of all nodes without an id. */
export function showState(state: NodeState, id?: string): void {
  for (const node of document.querySelectorAll<SVGGElement>('#graph g'))
    if (id === undefined || node.dataset['id'] === id) {
      node.dataset['state'] = state
      const note = node.querySelector('.note')
      if (state === 'waiting' && note !== null) note.textContent = ''
    }
}

/** The name of a node in the drawing. */
export function nameOf(id: string): string {
  return nodeOf(id)?.querySelector('text')?.textContent ?? id
}
