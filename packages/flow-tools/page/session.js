/** What the page knows: the flow, and the runs of this session by their numbers. */

/**
 * @typedef {{ state: 'running' | 'done' | 'failed', ms?: number, error?: string, outputs?: Record<string, unknown> }} NodeState
 * @typedef {{ number: number, reason: string, file: string, status: string, text: string, ms?: number, tokens?: number,
 *   isOver: boolean, nodes: Map<string, NodeState>, events: string[] }} Run
 * @typedef {{ name: string, nodes: { id: string, name: string, type: string, x: number, y: number }[],
 *   edges: { source: string, target: string }[] }} Flow
 */

const MOST_RUNS = 20
const MOST_EVENTS = 1000

export class Session {
  /** @type {Flow} */
  flow = { name: 'Flow', nodes: [], edges: [] }
  /** @type {Map<number, Run>} */
  runs = new Map()
  /** @type {string | undefined} */
  problem = undefined
  isWaiting = false

  /** @param {any} message of the command */
  take(message) {
    const run = this.runs.get(message.run)
    if (message.type === 'reset') this.runs.clear()
    else if (message.type === 'flow') {
      this.flow = message
      this.problem = undefined
    } else if (message.type === 'waiting') this.isWaiting = true
    else if (message.type === 'error') this.problem = message.message
    else if (message.type === 'run') this.#begin(message)
    else if (message.type === 'event' && run !== undefined) takeEvent(run, message.event)
    else if (message.type === 'end' && run !== undefined) {
      run.status = message.status
      run.ms = message.durationMs
      run.tokens = message.tokens
      run.text = message.text ?? run.text
      run.isOver = true
    }
  }

  /** @returns {Run | undefined} */
  latest() {
    return [...this.runs.values()].at(-1)
  }

  #begin({ run: number, reason, file }) {
    this.isWaiting = false
    this.problem = undefined
    const run = { number, reason, file, status: 'running', text: '', isOver: false }
    this.runs.set(number, { ...run, nodes: new Map(), events: [] })
    for (const old of [...this.runs.keys()].slice(0, -MOST_RUNS)) this.runs.delete(old)
  }
}

/** @param {Run} run */
function takeEvent(run, { event, data }) {
  if (event === 'token') run.text += data.chunk
  else if (run.events.length < MOST_EVENTS) run.events.push(`${event} ${subjectOf(data)}`.trim())
  if (event === 'build_start') run.nodes.set(data.id, { state: 'running' })
  if (event !== 'end_vertex') return
  const { id, valid, params, data: built } = data.build_data
  run.nodes.set(id, {
    state: valid ? 'done' : 'failed',
    ms: Math.round(built.timedelta * 1000),
    ...(valid ? { outputs: built.outputs } : { error: params ?? 'failed' }),
  })
}

function subjectOf(data) {
  const subject = data?.build_data?.id ?? data?.id ?? data?.prompt ?? data?.ids?.join(', ')
  return String(subject ?? '').slice(0, 300)
}
