import type { Component } from '../../components/define/component.ts'
import type { Field } from '../../components/define/field.ts'
import type { TypedOutput } from '../../components/define/output.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { CreateNodeOptions } from '../../components/node/create-node.ts'
import type { FlowVariable } from '../../components/node/flow-variable.ts'
import type { FlowJson } from '../flow/node-json.ts'
import type { FlowLayout } from './flow-layout.ts'

/** An output of a node. `T` is its value type, `H` the names of its edge types. */
export interface OutputRef<T = unknown, H extends string = string> {
  readonly vertexId: string
  readonly name: string
  /** Phantom members; they only carry types. */
  readonly valueType?: T
  readonly handleType?: H
}

/** An output that accepts the loop-back edge of a loop. */
export interface LoopRef<T = unknown, H extends string = string> extends OutputRef<T, H> {
  readonly allowsLoop: true
}

/** A field of a node. `H` are the names of the edge types it accepts. */
export interface InputRef<H extends string = string> {
  readonly vertexId: string
  readonly field: string
  /** Phantom member; it only carries a type. */
  readonly handleType?: H
}

/** Template values of a node, by field. */
export type InputValues<C extends Component> = {
  readonly [F in keyof C['inputs']]: C['inputs'][F] extends Field<unknown, infer G> ? G : never
}

type Inputs<C extends Component> = {
  readonly [F in keyof C['inputs']]: C['inputs'][F] extends Field<unknown, unknown, infer H>
    ? InputRef<H>
    : never
}

type Outputs<C extends Component> = {
  readonly [O in keyof C['outputs']]: C['outputs'][O] extends TypedOutput<infer V, infer H, infer L>
    ? [L] extends [true]
      ? LoopRef<V, H>
      : OutputRef<V, H>
    : OutputRef
}

/** A node of a draft. */
export interface NodeRef<C extends Component = Component> {
  readonly id: string
  readonly inputs: Inputs<C>
  readonly outputs: Outputs<C>
  /**
   * A field whose name is not known to the types, such as a prompt variable.
   * @throws FlowError `invalid_request` if the node has no such field
   */
  input(name: string): InputRef
  /**
   * An output whose name is not known to the types, such as a router branch.
   * @throws FlowError `invalid_request` if the node has no such output
   */
  output(name: string): OutputRef
}

/** A node in tool mode. Its only output provides tools. */
export interface ToolNodeRef<C extends Component = Component> extends Omit<NodeRef<C>, 'outputs'> {
  readonly outputs: { readonly component_as_tool: OutputRef<unknown, 'Tool'> }
}

/** A node that was added as JSON. */
export type JsonNodeRef = Pick<NodeRef, 'id' | 'input' | 'output'>

/** Facts of a flow besides its name. */
export interface FlowOptions {
  /** The version of the editor that the flow was tested with. Default: not told. */
  readonly version?: string
  /** Default: blank. */
  readonly description?: string
  readonly endpointName?: string
  readonly id?: string
  /** What only the editor shows, as `x-flow eject` wrote it. Default: nodes in columns by their depth. */
  readonly layout?: FlowLayout
}

/** A value, or the variable that is loaded in the place of a text. */
type Given<G> = [Extract<G, string>] extends [never] ? G : G | FlowVariable

export interface NodeOptions<C extends Component = Component> extends Pick<
  CreateNodeOptions,
  'type' | 'outputs' | 'without' | 'tools' | 'attributes'
> {
  /** Default: `<type>-00001`, numbered consecutively. */
  readonly id?: string
  /** File fields take a path or paths; secret fields take the name of a variable, as in the editor. */
  readonly values?: { readonly [F in keyof InputValues<C>]?: Given<InputValues<C>[F]> }
  /** Additional fields with their values, such as the variables of a prompt. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  /** Makes the component a tool for agents. */
  readonly toolMode?: boolean
}

/** If no edge type matches, this requires a property that no reference has, so the call does not compile. */
type Fits<F extends string, H extends string> = [F & H] extends [never]
  ? { readonly doesNotTake: F }
  : unknown

/** A flow under construction. It can be run, checked, evaluated and started directly. */
export interface FlowDraft {
  /**
   * Adds a node.
   * @throws FlowError `invalid_request` for a duplicate id, an unknown field, or a different component
   * of the same type
   */
  add<C extends Component>(
    component: C,
    options: NodeOptions<C> & { readonly toolMode: true },
  ): ToolNodeRef<C>
  add<C extends Component>(component: C, options?: NodeOptions<C>): NodeRef<C>
  /**
   * Adds an edge. Incompatible edge types do not compile.
   * @throws FlowError `invalid_request` if the edge types are incompatible, or the node, field or output
   * is not part of this draft
   */
  connect<F extends string, H extends string>(
    from: OutputRef<unknown, F>,
    to: InputRef<H> & Fits<F, H>,
  ): FlowDraft
  connect(from: OutputRef, to: LoopRef): FlowDraft
  /** Adds a node as it is, such as one whose component is not installed. */
  addNode(json: unknown): JsonNodeRef
  /** Adds an edge as it is; texts of its handles that are missing are made of `data`. */
  addEdge(json: unknown): FlowDraft
  /** The components of all nodes added so far. */
  readonly components: ComponentRegistry
  /**
   * A copy of the flow in the editor's export format.
   * @param options `layout` in the place of that of the flow
   */
  toJSON(options?: { readonly layout?: FlowLayout } | string): FlowJson
}

export function isFlowDraft(flow: unknown): flow is FlowDraft {
  if (typeof flow !== 'object' || flow === null) return false
  const calls = ['toJSON', 'add', 'connect'].map((name): unknown => Reflect.get(flow, name))
  return calls.every((call) => typeof call === 'function') && Reflect.has(flow, 'components')
}

/** Converts a flow to JSON, together with the given components and its own. */
export function readDraft(
  draft: FlowDraft,
  components: ComponentRegistry | undefined,
): { readonly flow: FlowJson; readonly components: ComponentRegistry } {
  const own = draft.components
  return { flow: draft.toJSON(), components: components?.extend(own) ?? own }
}
