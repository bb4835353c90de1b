import type { FlowJson } from './node-json.ts'

declare const flowShape: unique symbol

/** What goes into and comes out of one node of a typed flow. */
export interface NodeShape {
  /** The display name, where no other node has it. */
  readonly name?: string
  /** Fields that runs may set, with the types of their values. */
  readonly tweaks?: object
  /** Input fields without a stored value, which every run gives. */
  readonly required?: object
  /** Input fields with a stored value. */
  readonly optional?: object
  /** The value of the node, if the result of a run has it. */
  readonly output?: unknown
}

/** What a flow takes and returns, as `x-flow types` reads it from a flow file. */
export interface FlowShape {
  /** Whether runs give an input. */
  readonly input: 'required' | 'optional' | 'none'
  /** By node id. */
  readonly nodes: object
  /** A union of the names of the variables that its fields load. */
  readonly variables: string
  /** `required` for flows that read a conversation: without a session, all users share one. */
  readonly session: 'required' | 'optional'
}

/** Marks a flow, or a plan of it, with its shape. The property exists in types only. */
export interface Typed<S> {
  readonly [flowShape]: S
}

/** A flow whose inputs, fields, outputs and variables the compiler knows. */
export type TypedFlow<S extends FlowShape = FlowShape> = FlowJson & Typed<S>

/** The shape of a typed flow or plan; never for others, and for `any`. */
export type ShapeOf<F> = 0 extends 1 & F ? never : F extends Typed<infer S> ? S : never

type Nodes<F> = ShapeOf<F> extends { readonly nodes: infer N } ? N : never
type NameOf<N, Id> = Id | (N extends { readonly name: infer Name extends string } ? Name : never)
type PartOf<N, Part extends string> = N extends { readonly [P in Part]: infer T } ? T : never
type Keyed<N, Part extends string> = {
  readonly [Id in keyof N as PartOf<N[Id], Part> extends never ? never : NameOf<N[Id], Id>]?:
    | PartOf<N[Id], Part>
    | undefined
}

/** Optional, each with undefined, as the options of a run are. */
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined }
type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer T,
) => void
  ? T
  : never

type InputsOf<N> = Loose<PartOf<N, 'optional'> extends never ? unknown : PartOf<N, 'optional'>> &
  Loose<PartOf<N, 'required'> extends never ? unknown : PartOf<N, 'required'>>
/** A node with required fields is given by its id or by its name. */
type RequiredNode<Id, N> =
  | { readonly [K in Id & string]: WholeInputs<N> }
  | (N extends { readonly name: infer Name extends string }
      ? { readonly [K in Name]: WholeInputs<N> }
      : never)
type WholeInputs<N> = PartOf<N, 'required'> &
  Loose<PartOf<N, 'optional'> extends never ? unknown : PartOf<N, 'optional'>>
type RequiredIds<N> = {
  [Id in keyof N]: N[Id] extends { readonly required: object } ? Id : never
}[keyof N]
type AnyInputs<N> = {
  readonly [
    Id in keyof N as N[Id] extends { readonly required: object } | { readonly optional: object }
      ? NameOf<N[Id], Id>
      : never
  ]?: InputsOf<N[Id]> | undefined
}
/** Boxed, so that the alternatives of one node stay together while those of all nodes are joined. */
type RequiredInputs<N> =
  Intersection<
    { [Id in RequiredIds<N>]: { all: RequiredNode<Id, N[Id]> } }[RequiredIds<N>]
  > extends {
    all: infer T
  }
    ? T
    : unknown

/** `inputs` of a run of this flow: by node, the fields that no edge feeds. */
export type FlowInputs<F> = AnyInputs<Nodes<F>> &
  ([RequiredIds<Nodes<F>>] extends [never] ? unknown : RequiredInputs<Nodes<F>>)

/** `tweaks` of a run of this flow, by node and field. */
export type FlowTweaks<F> = {
  readonly [K in keyof Keyed<Nodes<F>, 'tweaks'>]?:
    | Loose<NonNullable<Keyed<Nodes<F>, 'tweaks'>[K]>>
    | undefined
} & { readonly stream?: boolean | undefined }

/** The values of a result, by node. */
export type FlowOutputs<F> = {
  readonly [K in keyof Outputs<Nodes<F>>]: Outputs<Nodes<F>>[K]
}
type Outputs<N> = {
  readonly [
    Id in keyof N as 'output' extends keyof N[Id] ? NameOf<N[Id], Id> : never
  ]: 'output' extends keyof N[Id] ? N[Id]['output'] : never
}

/** The names of the variables that the flow loads. */
export type FlowVariables<F> =
  ShapeOf<F> extends { readonly variables: infer V extends string } ? V : never

/** Whether every run of the flow gives `inputs`. */
export type NeedsInputs<F> = [RequiredIds<Nodes<F>>] extends [never] ? false : true
