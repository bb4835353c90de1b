import type { Component } from '../../components/define/component.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { PlainObject } from '@x/wire'
import type { GroupLink } from '../flow/expand-groups.ts'
import type { SourceHandle } from '../flow/handles.ts'

/**
 * A flow prepared for the scheduler: groups expanded, ids replaced by positions. Frozen after compilation.
 */
export interface PlanGraph {
  readonly vertices: readonly PlanVertex[]
  readonly edges: readonly PlanEdge[]
  readonly indexOf: ReadonlyMap<string, number>
  readonly regions: readonly Region[]
  /** Cycles without a Loop component; they run only when entered. */
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
  /** Values copied down from groups, by field. */
  readonly overrides: ReadonlyMap<string, unknown>
  /** The present names of fields that the file has under former ones. */
  readonly renamed: ReadonlyMap<string, string> | undefined
  /** Names of the offered outputs, in the component's order. */
  readonly outputs: readonly string[]
  /** Names of the outputs to compute. */
  readonly computed: readonly string[]
  readonly connected: ReadonlySet<string>
  readonly frozen: boolean
  readonly toolMode: boolean
  /** How the component that runs differs from the one the node shows. */
  readonly notice: string | undefined
  readonly role: 'input' | 'output' | undefined
  /** True without incoming edges. */
  readonly isRoot: boolean
  readonly kind: 'chatInput' | 'webhook' | undefined
  /** Id of the outermost enclosing group, else its own: the id used in `top_level_vertices`. */
  readonly topLevelId: string
  /** The innermost enclosing group. */
  readonly group: GroupLink | undefined
  /** Present if an output leads to a chat output. */
  readonly chatOutput: { readonly senderName?: string } | undefined
  readonly chatOutputs: ReadonlySet<string>
  /** Incoming edges, in edge order. */
  readonly incoming: readonly PlanEdge[]
  readonly outgoing: readonly PlanEdge[]
  /** Edges decided when this vertex has finished; for a loop, when its last pass has. */
  readonly releases: readonly PlanEdge[]
  /** True if it is part of any cycle, including a self-edge. */
  readonly inCycle: boolean
  /** The region it is built in. */
  readonly region: number
  /** Index among the members of its region. */
  readonly local: number
  /** For loops: the region their loop-back edges open. */
  readonly loop: number | undefined
  /** The cycle without a Loop component it belongs to. */
  readonly cycle: number | undefined
}

export interface PlanEdge {
  readonly index: number
  readonly source: number
  readonly target: number
  readonly output: string
  readonly field: string
  readonly sourceHandle: SourceHandle
  /** The edge returns to a loop's output. */
  readonly loopBack: boolean
  readonly self: boolean
  /** The vertex the target waits for: the source, or the loop enclosing it in the nearest common region. */
  readonly from: number
  /** Region of `from`. */
  readonly fromRegion: number
}

/** Vertices that are built together: the whole flow, or one pass of a loop. */
export interface Region {
  readonly index: number
  /** Undefined for the whole flow. */
  readonly loop: number | undefined
  readonly parent: number | undefined
  /** Enclosing regions, outermost first, ending with this one. */
  readonly path: readonly number[]
  readonly members: readonly number[]
}
