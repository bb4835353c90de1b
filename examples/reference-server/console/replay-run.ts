import { call } from './api.ts'
import { drawnNode } from './drawn-node.ts'
import { showNote, showState, type FlowGraph } from './graph-view.ts'
import { clearRunRemarks, showFailure, showWarnings } from './run-remarks.ts'
import { moment } from './table.ts'

/** A run as returned by the monitor API. */
export interface Trace {
  readonly id: string
  readonly flowId: string
  readonly name: string
  readonly startTime: string
  readonly totalLatencyMs: number
  readonly state: string
  readonly error: string | null
  readonly input: { readonly input_value: string } | null
  readonly output: { readonly message: string } | null
  readonly warnings?: readonly { readonly message: string; readonly component_id?: string }[]
  readonly spans: readonly {
    readonly component_id: string
    readonly name: string
    readonly status: string
    readonly latencyMs: number
    readonly error: string | null
    readonly tokenUsage: { readonly totalTokens: number } | null
  }[]
}

/** Pause before each node is shown as done, in milliseconds. */
const STEP_MS = 350

let wanted: string | undefined

/** Opens the page of flows, which replays the run. */
export function openReplay(traceId: string): void {
  wanted = traceId
  location.hash = '#flows'
}

/** The run to replay, once; undefined if there is none. */
export async function takeReplay(): Promise<Trace | undefined> {
  const id = wanted
  wanted = undefined
  return id === undefined ? undefined : await readTrace(id)
}

/** Reads a run with its nodes. */
export async function readTrace(id: string): Promise<Trace> {
  return (await (await call(`/monitor/traces/${id}`)).json()) as Trace
}

/** Duration for people. */
export const durationOf = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`

/**
 * Shows the nodes of a run in their order on the drawn graph, at once for those who prefer no motion.
 * Nodes that are not in the flow any more are left out.
 */
export async function replayRun(
  trace: Trace,
  graph: FlowGraph | null,
  signal: AbortSignal,
): Promise<void> {
  showState('waiting')
  clearRunRemarks()
  for (const { component_id: id, status, latencyMs, error } of trace.spans) {
    const node = drawnNode(graph, id)
    if (node === undefined) continue
    showState('running', node)
    await pause(signal)
    if (signal.aborted) return
    showState(status === 'ok' ? 'done' : status === 'error' ? 'failed' : 'running', node)
    showNote(node, status === 'error' ? 'failed' : durationOf(latencyMs))
    if (status === 'error') showFailure(graph, id, error ?? 'failed')
  }
  showWarnings(graph, trace.warnings ?? [])
}

/** A sentence about a replayed run. */
export function replayStatus({ startTime, state, spans, totalLatencyMs }: Trace): string {
  const nodes = spans.length === 1 ? '1 node' : `${spans.length} nodes`
  return `Replay of ${moment(startTime)} · ${state} · ${nodes} · ${durationOf(totalLatencyMs)}`
}

async function pause(signal: AbortSignal): Promise<void> {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, STEP_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
