import type { Component } from '../../components/define/component.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { PlainObject } from '../flow/plain-object.ts'
import type { GroupLink } from '../flow/expand-groups.ts'
import type { SourceHandle } from '../flow/handles.ts'

/** A flow made ready for the scheduler: groups expanded, ids replaced by positions. Frozen after compile. */
export interface PlanGraph {
  readonly vertices: readonly PlanVertex[]
  readonly edges: readonly PlanEdge[]
  readonly indexOf: ReadonlyMap<string, number>
  readonly regions: readonly Region[]
  /** Cycles without a Loop component: they run only when entered (FE-15). */
  readonly cycles: readonly (readonly number[])[]
  readonly registry: ComponentRegistry
}

export interface PlanVertex {
  readonly index: number
  readonly id: string
  /** `data.type` of the node. */
  readonly type: string
  readonly displayName: string
  readonly component: Component
  readonly details: PlainObject
  readonly template: PlainObject
  /** Values that groups copy down, by field. */
  readonly overrides: ReadonlyMap<string, unknown>
  /** Names of the outputs it offers, in the component's order. */
  readonly outputs: readonly string[]
  /** Those that are computed (FE-25). */
  readonly computed: readonly string[]
  readonly connected: ReadonlySet<string>
  readonly frozen: boolean
  readonly toolMode: boolean
  /** The difference between what runs and what the node shows (FE-42). */
  readonly notice: string | undefined
  readonly role: 'input' | 'output' | undefined
  /** Without incoming edges. */
  readonly isRoot: boolean
  readonly kind: 'chatInput' | 'webhook' | undefined
  /** The outermost group around it, else its own id: what `top_level_vertices` names. */
  readonly topLevelId: string
  /** The innermost group around it. */
  readonly group: GroupLink | undefined
  /** Present when an output goes to a chat output (FE-51). */
  readonly chatOutput: { readonly senderName?: string } | undefined
  readonly chatOutputs: ReadonlySet<string>
  /** Incoming edges in edge order. */
  readonly incoming: readonly PlanEdge[]
  readonly outgoing: readonly PlanEdge[]
  /** Edges that are decided when this vertex has finished, a loop when its last pass has. */
  readonly releases: readonly PlanEdge[]
  /** FE-10: part of a cycle of any kind, or with an edge to itself. */
  readonly inCycle: boolean
  /** The region its builds belong to. */
  readonly region: number
  /** Position among the members of its region. */
  readonly local: number
  /** The region its loop-back edges open; undefined for all but loops. */
  readonly loop: number | undefined
  /** The cycle without a Loop component it is part of. */
  readonly cycle: number | undefined
}

export interface PlanEdge {
  readonly index: number
  readonly source: number
  readonly target: number
  readonly output: string
  readonly field: string
  readonly sourceHandle: SourceHandle
  /** Comes back to a loop's output (FE-5). */
  readonly loopBack: boolean
  readonly self: boolean
  /**
   * The vertex the target waits for: the source, or the loop around it in the nearest common region.
   */
  readonly from: number
  /** Region of `from`. */
  readonly fromRegion: number
}

/**
 * Vertices that are built together: the whole flow, or those that run in each pass of a loop (FE-32).
 */
export interface Region {
  readonly index: number
  /** Undefined for the whole flow. */
  readonly loop: number | undefined
  readonly parent: number | undefined
  /** Regions around it, the outermost first, itself last. */
  readonly path: readonly number[]
  readonly members: readonly number[]
}
