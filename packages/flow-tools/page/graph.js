/** Draws the nodes of a flow at the places that its file gives them. */

const BOX = { width: 300, height: 100 }
const MARGIN = 24
const SIGNS = { running: '… ', done: '✓ ', failed: '✗ ' }

/**
 * @param {import('./session.js').Flow} flow
 * @param {(id: string) => void} select
 */
export function drawGraph(flow, select) {
  const xs = flow.nodes.map(({ x }) => x)
  const ys = flow.nodes.map(({ y }) => y)
  const [left, top] = [least(xs), least(ys)]
  const place = ({ x, y }) => ({ x: x - left + MARGIN, y: y - top + MARGIN })
  const width = most(xs) - left + BOX.width + 2 * MARGIN
  const height = most(ys) - top + BOX.height + 2 * MARGIN
  const scale = Math.max(0.5, Math.min(0.7, 1100 / width))
  const svg = element('svg', {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    viewBox: `0 0 ${width} ${height}`,
    role: 'group',
    'aria-label': `Nodes of ${flow.name}`,
  })
  const byId = new Map(flow.nodes.map((node) => [node.id, node]))
  for (const { source, target } of flow.edges) {
    const [from, to] = [byId.get(source), byId.get(target)]
    if (from !== undefined && to !== undefined) svg.append(edgeOf(place(from), place(to)))
  }
  for (const node of flow.nodes) svg.append(nodeOf(node, place(node), select))
  return svg
}

/** Shows the states of a run and the selected node in a graph that is drawn. */
export function markGraph(svg, nodes, selected) {
  for (const group of svg.querySelectorAll('g')) {
    const { state, ms } = nodes.get(group.dataset.node) ?? {}
    group.dataset.state = state ?? 'idle'
    group.setAttribute('aria-pressed', String(group.dataset.node === selected))
    const time = ms === undefined ? '' : ` ${ms} ms`
    group.querySelector('.state').textContent =
      state === undefined ? '' : SIGNS[state] + state + time
  }
}

function nodeOf({ id, name, type }, { x, y }, select) {
  const group = element('g', {
    transform: `translate(${x} ${y})`,
    role: 'button',
    tabindex: 0,
    'data-node': id,
  })
  group.append(element('rect', { ...BOX, rx: 8 }))
  group.append(
    textAt(32, cut(name), 'name'),
    textAt(58, cut(type), 'type'),
    textAt(84, '', 'state'),
  )
  group.addEventListener('click', () => select(id))
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    select(id)
  })
  return group
}

function edgeOf(from, to) {
  const [x1, y1, x2, y2] = [
    from.x + BOX.width,
    from.y + BOX.height / 2,
    to.x,
    to.y + BOX.height / 2,
  ]
  const bend = Math.max(30, Math.abs(x2 - x1) / 2)
  return element('path', { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` })
}

function textAt(y, content, name) {
  const text = element('text', { x: 14, y, class: name })
  text.textContent = content
  return text
}

function element(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}

const cut = (text) => (text.length > 24 ? `${text.slice(0, 23)}…` : text)
const least = (all) => all.reduce((a, b) => Math.min(a, b), all[0] ?? 0)
const most = (all) => all.reduce((a, b) => Math.max(a, b), all[0] ?? 0)
