import type { RunEventOf } from '../events/run-event.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import { selectsOutput, type RunRequest } from '../context/run-request.ts'
import type { Task } from '../schedule/task.ts'
import type { Scope } from '../schedule/scope.ts'
import type { VertexRecord } from './vertex-record.ts'

/** Values up to this size stay until the run is forgotten: they cost less than making their event. */
export const SMALL_BYTES = 4096

export interface BuiltValue {
  readonly task: Task
  readonly record: VertexRecord
  /** Its event, whose data needs the value. */
  readonly end: RunEventOf<'end_vertex'>
}

interface Held {
  readonly value: BuiltValue
  readers: number
}

/** The vertices whose values stay whole: those that are reported, and those of the option `keep` (DR-77). */
function keepsValues(request: RunRequest): (vertex: PlanVertex) => boolean {
  const reported = selectsOutput(request)
  const { keep = [] } = request.options
  if (keep === 'outputs') return (vertex) => vertex.role === 'output' || reported(vertex)
  const names = new Set(keep)
  return (vertex) => names.has(vertex.id) || names.has(vertex.displayName) || reported(vertex)
}

/** Releases large values once their last reader has run (FE-16). */
export function createValueRelease(request: RunRequest) {
  let held: WeakMap<Scope, Map<number, Held>> | undefined
  let selects: ((vertex: PlanVertex) => boolean) | undefined

  function drop({ value }: Held): void {
    // Made of the value, so it is made before.
    void value.end.data
    value.record.outputs = Object.create(null) as VertexRecord['outputs']
  }

  return {
    built(value: BuiltValue): void {
      const { vertex, scope } = value.task
      if (vertex.frozen || vertex.inCycle) return
      const readers = new Set(vertex.outgoing.map((edge) => edge.target))
      const within = [...readers].every(
        (reader) => request.graph.vertices[reader]?.region === vertex.region,
      )
      selects ??= keepsValues(request)
      if (readers.size === 0 || !within || selects(vertex)) return
      held ??= new WeakMap()
      const values = held.get(scope) ?? new Map<number, Held>()
      held.set(scope, values.set(vertex.index, { value, readers: readers.size }))
    },
    /** A vertex has run: what it read has one reader less. */
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
