import { cutJson } from '@x/flow-engine/internal'
import type { FlowJson } from '@x/flow-engine'
import { orderedId } from '@x/wire'
import type { RunEvent, VertexBuildJson, VertexDataJson } from '@x/flow-engine'
import type { BuildRecord } from '@x/flow-engine/internal'
import type { FlowRun } from '@x/flow-engine'
import { formatValue, type JsonValue } from '@x/flow-engine'
import { normalizeLineBreaks } from '@x/flow-engine/internal'
import { withoutCode } from '@x/flow-engine/internal'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { keptTraces, type RecordWriter } from '../records/record-writer.ts'
import { recordedGraph, objectOf } from './recorded-graph.ts'
import { RunTrace } from './run-trace.ts'

export interface RunRecordsOptions extends Pick<ServiceDependencies, 'settings' | 'runtime'> {
  readonly writer: RecordWriter
  readonly eventBytes: number
}

/** The facts of a run needed for its records. */
export interface RecordedRun {
  readonly flowId: string
  /** The user the records count for; null for visitors of public flows. */
  readonly ownerId: string | null
  readonly flow: FlowJson
  /** Builds and runs have different formats. */
  readonly form: 'build' | 'run'
  /** Store vertex builds; transactions are always stored. */
  readonly builds: boolean
  /** Keeps a trace: of runs that are no jobs. */
  readonly trace?: boolean
}

/** Records what the vertices of a run did. */
export interface RunRecorder {
  readonly inputs: (
    vertex: { readonly id: string },
    values: Readonly<Record<string, unknown>>,
  ) => void
  readonly built: (build: BuildRecord) => void
  /** Resolves when everything was handed to the writer. */
  watch(run: FlowRun): Promise<void>
}

/** Creates a recorder; undefined if nothing is to be recorded. */
export function createRunRecorder(
  { writer, settings, runtime, eventBytes }: RunRecordsOptions,
  { flowId, ownerId, flow, form, builds: wanted, trace: traced = false }: RecordedRun,
): RunRecorder | undefined {
  const keepsBuilds = wanted && settings.vertexBuildsStorageEnabled
  const keepsTransactions = settings.transactionsStorageEnabled
  const trace =
    traced && ownerId !== null && keptTraces(settings) > 0
      ? new RunTrace({ writer, runtime }, { flowId, ownerId })
      : undefined
  if (!keepsBuilds && !keepsTransactions && trace === undefined) return undefined
  const limits = {
    textLength: settings.maxTextLength,
    items: settings.maxItemsLength,
    eventBytes,
  }
  const graph = recordedGraph(flow)
  const inputs = new Map<string, Readonly<Record<string, unknown>>>()
  let mask: BuildRecord['mask'] = (value) => value

  const take = (build: VertexBuildJson): void => {
    const { id, data } = build
    const params = build.params ?? describe(data)
    const at = Date.parse(build.timestamp)
    trace?.built(build, at, params)
    if (keepsBuilds) {
      writer.build({
        flowId,
        vertexId: id,
        make: () => ({
          buildId: orderedId(runtime),
          vertexId: id,
          flowId,
          ownerId,
          timestamp: new Date(at),
          valid: build.valid,
          params,
          data: JSON.stringify(form === 'build' ? data : toRunForm(build, graph.names.get(id))),
          artifacts: JSON.stringify(data.artifacts),
        }),
      })
    }
    if (!keepsTransactions || data.used_frozen_result) return
    const given = inputs.get(id)
    inputs.delete(id)
    writer.transaction({
      id: orderedId(runtime),
      flowId,
      ownerId,
      timestamp: new Date(at),
      vertexId: id,
      targetId: graph.targets.get(id) ?? null,
      inputs: JSON.stringify(
        cutJson(mask(formatValue(withoutCode(given ?? {}), limits.items)), limits),
      ),
      outputs: build.valid ? JSON.stringify(outputsOf(data)) : null,
      status: build.valid ? 'success' : 'error',
      error: build.valid ? null : build.params,
    })
  }
  return {
    inputs: (vertex, values) => void inputs.set(vertex.id, values),
    built: (build) => void (mask = build.mask),
    async watch(run) {
      for await (const event of run as AsyncIterable<RunEvent>) {
        if (event.event === 'end_vertex') take(event.data.build_data)
      }
      await trace?.end(run)
    },
  }
}

/** The stored format of a vertex result. */
function toRunForm({ id, data }: VertexBuildJson, displayName: string | undefined): object {
  const { message: _, timedelta: __, duration: ___, ...rest } = data
  return Object.assign(rest, {
    messages: Object.values(data.results).flatMap((result) => messageOf(result, id)),
    timedelta: null,
    duration: null,
    component_display_name: displayName ?? id.split('-')[0] ?? id,
    component_id: id,
  })
}

function messageOf(result: unknown, componentId: string): object[] {
  const { text, sender, sender_name, session_id, files } = objectOf(result)
  if (typeof text !== 'string' || text === '') return []
  return [
    {
      message: (sender ?? 'Machine') === 'Machine' ? normalizeLineBreaks(text) : text,
      sender: sender ?? 'Machine',
      sender_name: sender_name ?? 'AI',
      session_id,
      stream_url: null,
      component_id: componentId,
      files,
      type: 'text',
    },
  ]
}

/** The human-readable text of a result. */
function describe({ artifacts, outputs }: VertexDataJson): string | null {
  const text = artifacts['message'] ?? Object.values(outputs)[0]?.message
  return typeof text === 'string' ? text : null
}

function outputsOf({ outputs }: VertexDataJson): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([, { type }]) => type !== 'unknown')
      .map(([name, { message }]) => [name, message as JsonValue]),
  )
}
