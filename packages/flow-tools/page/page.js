import { drawGraph, markGraph } from './graph.js'
import { Session } from './session.js'

const at = (id) => document.getElementById(id)
const session = new Session()
const view = { run: undefined, node: undefined, svg: undefined, flow: undefined }
let connection = 'connecting'
let isDue = false

at('form').addEventListener('submit', (event) => {
  event.preventDefault()
  void startRun()
})
at('input').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void startRun()
})
at('runs').addEventListener('change', ({ target }) => {
  const latest = session.latest()?.number
  view.run = Number(target.value) === latest ? undefined : Number(target.value)
  draw()
})
addEventListener('hashchange', () => location.reload())
void connect()

/** The token of the address becomes a cookie, and leaves the address. */
async function connect() {
  if (location.hash.length > 1) {
    await post('session', { token: location.hash.slice(1) })
    history.replaceState(null, '', location.pathname)
  }
  const events = new EventSource('events')
  events.addEventListener('open', () => tell('connected'))
  events.addEventListener('error', () => {
    const isOver = events.readyState === EventSource.CLOSED
    tell(isOver ? 'not connected: open the address that the terminal shows' : 'reconnecting')
  })
  events.addEventListener('message', ({ data }) => {
    session.take(JSON.parse(data))
    draw()
  })
}

function tell(text) {
  connection = text
  draw()
}

async function startRun() {
  view.run = undefined
  await post('run', { input: at('input').value })
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    () => undefined,
  )
  if (answer?.ok !== true) session.take({ type: 'error', message: 'The command did not answer.' })
  draw()
}

/** Once for all messages of one frame. */
function draw() {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    drawNow()
  })
}

function drawNow() {
  const { flow } = session
  const run = session.runs.get(view.run) ?? session.latest()
  at('name').textContent = document.title = flow.name
  at('status').textContent = statusOf(run)
  at('problem').hidden = session.problem === undefined
  at('problem').textContent = session.problem ?? ''
  at('text').textContent = run?.text ?? ''
  drawRuns(run)
  if (view.flow !== flow) {
    view.flow = flow
    const focused = document.activeElement?.dataset?.node
    view.svg = drawGraph(flow, (id) => {
      view.node = id
      draw()
    })
    at('graph').replaceChildren(view.svg)
    for (const group of view.svg.querySelectorAll('g'))
      if (group.dataset.node === focused) group.focus()
  }
  markGraph(view.svg, run?.nodes ?? new Map(), view.node)
  drawNode(run)
  drawEvents(run?.events ?? [])
}

function statusOf(run) {
  if (connection !== 'connected') return connection
  if (session.isWaiting) return 'waits for its input'
  if (run === undefined) return connection
  const time = run.ms === undefined ? '' : ` in ${run.ms} ms`
  const tokens = run.tokens ? `, ${run.tokens} tokens` : ''
  return `run ${run.number} ${run.status}${time}${tokens}`
}

function drawRuns(shown) {
  const options = [...session.runs.values()].toReversed().map((run) => {
    const why = run.reason === 'change' ? `${run.file} changed` : run.reason
    return [String(run.number), `run ${run.number} (${why}): ${run.status}`]
  })
  const text = JSON.stringify([options, shown?.number])
  if (at('runs').dataset.drawn === text) return
  at('runs').dataset.drawn = text
  at('runs').replaceChildren(...options.map(([value, label]) => new Option(label, value)))
  at('runs').value = String(shown?.number ?? '')
}

function drawNode(run) {
  const node = session.flow.nodes.find(({ id }) => id === view.node)
  if (node === undefined) return
  const { state = 'not run', ms, error, outputs = {} } = run?.nodes.get(node.id) ?? {}
  const parts = [
    made('h3', `${node.name} (${node.id})`),
    made('p', ms === undefined ? state : `${state}, ${ms} ms`),
    ...(error === undefined ? [] : [made('pre', error)]),
    ...Object.entries(outputs).flatMap(([name, { message }]) => [
      made('h3', name),
      made('pre', typeof message === 'string' ? message : JSON.stringify(message, null, 2)),
    ]),
  ]
  const text = parts.map(({ textContent }) => textContent).join('\n')
  if (at('node').dataset.drawn === text) return
  at('node').dataset.drawn = text
  at('node').replaceChildren(...parts)
}

function drawEvents(events) {
  const list = at('events')
  const known = list.children.length
  const isSame =
    known <= events.length && (known === 0 || list.lastChild.textContent === events[known - 1])
  if (!isSame) list.replaceChildren()
  list.append(...events.slice(list.children.length).map((event) => made('li', event)))
}

function made(name, text) {
  const element = document.createElement(name)
  element.textContent = text
  return element
}
