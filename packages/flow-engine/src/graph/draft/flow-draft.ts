import type { Component } from '../../components/define/component.ts'
import type { Field } from '../../components/define/field.ts'
import type { TypedOutput } from '../../components/define/output.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { FlowJson } from '../flow/node-json.ts'

/** An output of a node. `T` is its value, `H` the names of its value types (FE-6). */
export interface OutputRef<T = unknown, H extends string = string> {
  readonly vertexId: string
  readonly name: string
  /** Never present; these carry types. */
  readonly valueType?: T
  readonly handleType?: H
}

/** An output to which the last edge of a loop comes back. */
export interface LoopRef<T = unknown, H extends string = string> extends OutputRef<T, H> {
  readonly allowsLoop: true
}

/** A field of a node; `H` are the names of the value types it takes. */
export interface InputRef<H extends string = string> {
  readonly vertexId: string
  readonly field: string
  /** Never present; carries the type. */
  readonly handleType?: H
}

/** The values that the template of a node may hold, by field. */
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
   * A field by a name that the types do not know, such as a variable of a prompt.
   * @throws FlowError `invalid_request` when the node has none of that name
   */
  input(name: string): InputRef
  /**
   * An output by a name that the types do not know, such as the branch of a choice.
   * @throws FlowError `invalid_request` when the node has none of that name
   */
  output(name: string): OutputRef
}

/** A node in tool mode: its one output gives tools. */
export interface ToolNodeRef<C extends Component = Component> extends Omit<NodeRef<C>, 'outputs'> {
  readonly outputs: { readonly component_as_tool: OutputRef<unknown, 'Tool'> }
}

export interface NodeOptions<C extends Component = Component> {
  /** Default `<type>-00001`, counted. */
  readonly id?: string
  /** Of a file field the path or paths; of a secret the name of a variable, as in the editor. */
  readonly values?: Partial<InputValues<C>>
  /** Fields beside those of the component, such as the variables of a prompt, with their values. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  /** The component becomes a tool for agents. */
  readonly toolMode?: boolean
}

/** Where no value type fits, a property that no reference has: the call does not compile. */
type Fits<F extends string, H extends string> = [F & H] extends [never]
  ? { readonly doesNotTake: F }
  : unknown

/** A flow under construction (DR-78); it may be run, checked, evaluated and started as it is. */
export interface FlowDraft {
  /**
   * Adds a node.
   * @throws FlowError `invalid_request` for an id that is taken, a value of a field that does not exist,
   * and a second component of the same type
   */
  add<C extends Component>(
    component: C,
    options: NodeOptions<C> & { readonly toolMode: true },
  ): ToolNodeRef<C>
  add<C extends Component>(component: C, options?: NodeOptions<C>): NodeRef<C>
  /**
   * Adds an edge. Value types that do not fit do not compile.
   * @throws FlowError `invalid_request` when no value type of the output is one of the field, and for a
   * node, field or output that is not in this draft
   */
  connect<F extends string, H extends string>(
    from: OutputRef<unknown, F>,
    to: InputRef<H> & Fits<F, H>,
  ): FlowDraft
  connect(from: OutputRef, to: LoopRef): FlowDraft
  /** The components of the nodes so far. */
  readonly components: ComponentRegistry
  /** The flow as the editor would export it; a copy. */
  toJSON(): FlowJson
}

export function isFlowDraft(flow: unknown): flow is FlowDraft {
  if (typeof flow !== 'object' || flow === null) return false
  const calls = ['toJSON', 'add', 'connect'].map((name): unknown => Reflect.get(flow, name))
  return calls.every((call) => typeof call === 'function') && Reflect.has(flow, 'components')
}

/** A flow as JSON, with the components that it brings beside the given ones. */
export function readDraft(
  draft: FlowDraft,
  components: ComponentRegistry | undefined,
): { readonly flow: FlowJson; readonly components: ComponentRegistry } {
  const own = draft.components
  return { flow: draft.toJSON(), components: components?.extend(own) ?? own }
}
