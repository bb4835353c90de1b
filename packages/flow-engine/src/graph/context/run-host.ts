import type { PlanVertex } from '../plan/plan-graph.ts'
import type { Secrets } from '../events/secrets.ts'
import type { VertexResult } from './run-options.ts'

/** What a host of durable runs plugs into a run (FE-63, FE-63a); all optional. */
export interface RunHost {
  /** Where an earlier process left off. */
  readonly resume?: ResumePoint | undefined
  /** Asked before each vertex; false when another process goes on with the run: nothing starts any more. */
  readonly mayStart?: (() => boolean) | undefined
  /** A vertex, or a pass of a loop, has finished: its state, to be kept before anything behind it starts. */
  readonly checkpoint?: ((vertexId: string, state: string) => Promise<void>) | undefined
  /** `ctx.suspend`. */
  readonly suspend?:
    | ((
        vertexId: string,
        question: unknown,
        /** Of the outermost loop around the vertex. */
        pass: number | undefined,
      ) => Promise<SuspendOutcome>)
    | undefined
  /** Told of the values that go into a build, secrets and all; `built` gives the mask. */
  readonly inputs?:
    ((vertex: PlanVertex, values: Readonly<Record<string, unknown>>) => void) | undefined
  /** Told of each build, for the records of a monitor. */
  readonly built?: ((build: BuildRecord) => void) | undefined
  /** Runs around this one. */
  readonly depth?: number | undefined
  /** Those of the run around this one: what one knows the other hides (FE-65). */
  readonly secrets?: Secrets | undefined
}

export interface ResumePoint {
  /** Number of the next event. */
  readonly firstSeq: number
  /** States by the names they were kept under: ids of vertices, and of passes. */
  readonly checkpoints: ReadonlyMap<string, string>
  /** `vertices_sorted` is in the log. */
  readonly sorted: boolean
  /** How many `end_vertex` of an id are in the log. */
  readonly reported: ReadonlyMap<string, number>
}

export type SuspendOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  /**
   * The question was kept: the vertex gives no event; when the others have finished, the run's log
   * closes without `end` and its result resolves.
   */
  | { readonly kind: 'suspended' }

export interface BuildRecord {
  readonly vertex: PlanVertex
  readonly result: VertexResult
  /** Hides the run's secrets in what is stored of it (FE-65). */
  readonly mask: <T>(value: T) => T
}
