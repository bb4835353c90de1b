import type { RunEventOf } from '../events/run-event.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import { selectsOutput, type CheckedRun } from '../context/checked-run.ts'
import type { Task } from '../schedule/task.ts'
import type { Scope } from '../schedule/scope.ts'
import type { VertexRecord } from './vertex-record.ts'

/** Values up to this size are kept until the run is released: creating their event early costs more. */
export const SMALL_BYTES = 4096

export interface BuiltValue {
  readonly task: Task
  readonly record: VertexRecord
  /** Its event, whose data is computed from the value. */
  readonly end: RunEventOf<'end_vertex'>
}

interface HeldValue {
  readonly value: BuiltValue
  readers: number
}

/**
 * Selects vertices whose values are retained in full: the reported ones, and those of option `keep`.
 */
function keepsValues(run: CheckedRun): (vertex: PlanVertex) => boolean {
  const reported = selectsOutput(run)
  const { keep = [] } = run.options
  if (keep === 'outputs') return (vertex) => vertex.role === 'output' || reported(vertex)
  const names = new Set(keep)
  return (vertex) => names.has(vertex.id) || names.has(vertex.displayName) || reported(vertex)
}

/** Releases large values once their last reader has run. */
export function createValueRelease(run: CheckedRun) {
  let held: WeakMap<Scope, Map<number, HeldValue>> | undefined
  let selects: ((vertex: PlanVertex) => boolean) | undefined

  function drop({ value }: HeldValue): void {
    // Computes the data while the value is still available.
    void value.end.data
    value.record.outputs = Object.create(null) as VertexRecord['outputs']
  }

  return {
    built(value: BuiltValue): void {
      const { vertex, scope } = value.task
      if (vertex.frozen || vertex.inCycle) return
      const readers = new Set(vertex.outgoing.map((edge) => edge.target))
      const within = [...readers].every(
        (reader) => run.graph.vertices[reader]?.region === vertex.region,
      )
      selects ??= keepsValues(run)
      if (readers.size === 0 || !within || selects(vertex)) return
      held ??= new WeakMap()
      const values = held.get(scope) ?? new Map<number, HeldValue>()
      held.set(scope, values.set(vertex.index, { value, readers: readers.size }))
    },
    /** Called when a vertex has run: decrements the reader count of everything it read. */
    read(scope: Scope, vertex: PlanVertex): void {
      const values = held?.get(scope)
      if (values === undefined) return
      for (const source of new Set(vertex.incoming.map((edge) => edge.source))) {
        const entry = values.get(source)
        if (entry === undefined) continue
        entry.readers -= 1
        if (entry.readers > 0) continue
        values.delete(source)
        drop(entry)
      }
    },
  }
}
