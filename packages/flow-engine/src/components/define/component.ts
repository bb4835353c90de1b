import type { RetryPolicy } from './retry-policy.ts'
import type { ComponentContext } from './context.ts'
import type { Fields, Values } from './field.ts'
import type { NodeDetails, NodeTemplate } from '../../graph/flow/node-json.ts'
import type { NodeUpdate, RefreshContext } from './refresh-context.ts'
import type { OutputDefinition, Outputs } from './output.ts'

/** The parts of a component definition other than inputs and outputs. */
export interface ComponentMetadata {
  /** The type name that nodes have in `data.type`. */
  readonly type: string
  /** Default: the value of `type`. */
  readonly displayName?: string
  readonly description?: string
  readonly icon?: string
  /** A snake_case key of the catalogue. Default `custom`. */
  readonly category?: string
  readonly documentation?: string
  /** Former type names. */
  readonly aliases?: readonly string[]
  /** Value of `metadata.module`, which also identifies nodes with other type names. */
  readonly module?: string
  /** Source in the code field of a new node. Default: a line that names the component. */
  readonly code?: string
  /** Part of the cache key of frozen results. */
  readonly version?: string
  /** Marks an input or output vertex regardless of its type name. */
  readonly role?: 'input' | 'output'
  readonly beta?: boolean
  readonly legacy?: boolean
  readonly minimized?: boolean
  readonly priority?: number
  /** Components that replace a legacy component, as `category.Type`. */
  readonly replacement?: readonly string[]
  /** May run again after a crash without a checkpoint. Default true. */
  readonly idempotent?: boolean
  /**
   * Asks people: builds of flows with it are resumable, and operations that cannot ask
   * refuse such flows. With `connected`, it asks only when one of its outputs is connected. Default
   * false.
   */
  readonly suspends?: boolean | 'connected'
  /**
   * Declares that it reads or writes run state under a key, which is the text of a field. A vertex that reads
   * a key waits for the vertices that write it, unless it precedes them in the graph.
   */
  readonly sharedKey?: SharedKey
  /**
   * Its outputs read fields that only its nodes have, such as the variables of a prompt. Without it an edge into
   * such a field is an `ignored_edge`. Default false.
   */
  readonly furtherFields?: boolean
  /** A session stored in a node is that of runs that name none. Default false: it is that of builds only. */
  readonly keepsSession?: boolean
  /**
   * Derives a node's outputs from its field values, replacing those listed in the node. `outputs` are the
   * outputs of a new node.
   */
  nodeOutputs?(
    values: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, OutputDefinition>>
  /**
   * Says, by field, why a run would refuse these stored values; `checkFlow` warns of it. Fields with an edge are
   * absent.
   */
  check?(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>
  /** Retries after a failure; overridden by the options of a run. */
  readonly retry?: RetryPolicy
  /** Runs source from the flow, so it gets no keys from the server's environment. */
  readonly sandboxed?: boolean
  /**
   * Called when `field` changes in the editor. Changes the template in place or returns the changes. May be
   * called for any field name, including `tool_mode`.
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
  /** The output that writes, or the list field whose items are written. */
  readonly writes?: string
  readonly reads?: string
}

export interface ComponentDefinition<
  I extends Fields = Fields,
  O extends Outputs<I> = Outputs<I>,
> extends ComponentMetadata {
  /** Key order is display order. */
  readonly inputs: I
  /** Key order is display order and evaluation order. */
  readonly outputs: O
  /** Additional outputs of a particular node. */
  readonly forNode?: (details: NodeDetails) => Outputs<Fields>
  /** Called once per build, before the first output. */
  prepare?(inputs: Values<I>, ctx: ComponentContext): void | Promise<void>
  /** Returns the tools of a node in tool mode. Default: one per output. */
  toTools?(
    inputs: Values<I>,
    ctx: ComponentContext,
  ): readonly ComponentTool[] | Promise<readonly ComponentTool[]>
}

/** A tool that a component creates itself. */
export interface ComponentTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema of type object. */
  readonly parameters: object
  /** Uses the result as the answer of the agent. Default false. */
  readonly returnDirect?: boolean
  /** Returns any edge value; the engine converts it for the model. */
  call(args: Readonly<Record<string, unknown>>, ctx: ComponentContext): unknown
}

/** The outputs of a component returned by `defineComponent`. */
export type Declared = Readonly<Record<string, OutputDefinition>>

/**
 * A component as used by the engine, with all names resolved. `I` and `O` are its inputs and outputs, for the
 * flow builder; plain `Component` means any component.
 */
export interface Component<I extends Fields = Fields, O extends Declared = Declared> extends Omit<
  ComponentMetadata,
  'displayName'
> {
  readonly kind: 'component'
  readonly displayName: string
  readonly inputs: I
  readonly outputs: O
  /** Returns the component with the additional outputs of a node; itself if there are none. */
  readonly forNode?: (details: NodeDetails) => Component
  prepare?(inputs: Values<Fields>, ctx: ComponentContext): void | Promise<void>
  toTools?(
    inputs: Values<Fields>,
    ctx: ComponentContext,
  ): readonly ComponentTool[] | Promise<readonly ComponentTool[]>
}
