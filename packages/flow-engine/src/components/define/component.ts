import type { RetryPolicy } from './retry-policy.ts'
import type { ComponentContext } from './context.ts'
import type { Fields, Values } from './field.ts'
import type { NodeDetails, NodeTemplate } from '../../graph/flow/node-json.ts'
import type { NodeUpdate, RefreshContext } from './refresh-context.ts'
import type { OutputDefinition, Outputs } from './output.ts'

/** The parts of a definition besides inputs and outputs (FE-40). */
export interface ComponentFacts {
  /** The name nodes carry in `data.type`. */
  readonly type: string
  /** Default: `type`. */
  readonly displayName?: string
  readonly description?: string
  readonly icon?: string
  /** A snake_case key of the catalogue; default `custom`. */
  readonly category?: string
  readonly documentation?: string
  /** Old type names. */
  readonly aliases?: readonly string[]
  /** `metadata.module`, by which nodes of other type names are recognised too (FE-42). */
  readonly module?: string
  /** Text of the code field of a new node; by default a line that names the component. */
  readonly code?: string
  /** Part of the key of frozen results (FE-33). */
  readonly version?: string
  /** Counts as an input or output vertex whatever its type name is (FE-2). */
  readonly role?: 'input' | 'output'
  readonly beta?: boolean
  readonly legacy?: boolean
  readonly minimized?: boolean
  readonly priority?: number
  /** Types that replace a legacy component, `category.Type`. */
  readonly replacement?: readonly string[]
  /** May be run again after a crash without a checkpoint (FE-63). Default true. */
  readonly idempotent?: boolean
  /**
   * It asks people (DR-35): builds of flows with it are resumable, and what cannot ask refuses them
   * (DR-45). `connected`: it asks only when one of its outputs is connected. Default false.
   */
  readonly suspends?: boolean | 'connected'
  /**
   * It writes or reads values of the run under a key, which is the text of a field: a vertex that reads
   * waits for those that write its key, where it does not stand before them itself.
   */
  readonly sharedKey?: SharedKey
  /**
   * The outputs of a node that follow from its values, in place of those it lists: values by field.
   * `outputs` are those of a new node.
   */
  nodeOutputs?(
    values: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, OutputDefinition>>
  /** Retries after a failure; a run's own options replace them (DR-51). */
  readonly retry?: RetryPolicy
  /** Runs source text of a flow: gets no key of the server's environment (AB-41). */
  readonly sandboxed?: boolean
  /**
   * The editor changed `field`: changes the template in place or returns what is new. May be called
   * for any field name, `tool_mode` included.
   */
  refresh?(
    template: NodeTemplate,
    field: string,
    value: unknown,
    ctx: RefreshContext,
  ): NodeUpdate | undefined | void | Promise<NodeUpdate | undefined | void>
}

export interface SharedKey {
  readonly field: string
  /** The output that writes, or the list field that takes what is written. */
  readonly writes?: string
  readonly reads?: string
}

export interface ComponentDefinition<
  I extends Fields = Fields,
  O extends Outputs<I> = Outputs<I>,
> extends ComponentFacts {
  /** Key order = display order. */
  readonly inputs: I
  /** Key order = display order and order of computation. */
  readonly outputs: O
  /** Outputs that only this node has, beside those of the definition. */
  readonly forNode?: (details: NodeDetails) => Outputs<Fields>
  /** Once for each build, before the first output. */
  prepare?(inputs: Values<I>, ctx: ComponentContext): void | Promise<void>
  /** The tools of a node in tool mode, instead of one for each output (CO-23). */
  toTools?(
    inputs: Values<I>,
    ctx: ComponentContext,
  ): readonly ComponentTool[] | Promise<readonly ComponentTool[]>
}

/** A tool that a component makes itself. */
export interface ComponentTool {
  readonly name: string
  readonly description: string
  /** A JSON schema of type object. */
  readonly parameters: object
  /** Gives any value of an edge; the engine turns it into what a model reads (CO-22). */
  call(args: Readonly<Record<string, unknown>>, ctx: ComponentContext): unknown
}

/** What an output is after `defineComponent`. */
export type Declared = Readonly<Record<string, OutputDefinition>>

/**
 * A component as the engine reads it: names filled in. `I` and `O` are its inputs and outputs, for the
 * builder of flows (DR-78); `Component` alone is any component.
 */
export interface Component<I extends Fields = Fields, O extends Declared = Declared> extends Omit<
  ComponentFacts,
  'displayName'
> {
  readonly kind: 'component'
  readonly displayName: string
  readonly inputs: I
  readonly outputs: O
  /** The component with the outputs that only this node has; itself where there are none. */
  readonly forNode?: (details: NodeDetails) => Component
  prepare?(inputs: Values<Fields>, ctx: ComponentContext): void | Promise<void>
  toTools?(
    inputs: Values<Fields>,
    ctx: ComponentContext,
  ): readonly ComponentTool[] | Promise<readonly ComponentTool[]>
}
