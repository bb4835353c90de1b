import type { ChatModel, Embedder, Tool } from '../../models/chat-model.ts'
import type { Data } from '../../graph/values/data.ts'
import type { DataFrame } from '../../graph/values/data-frame.ts'
import type { Message } from '../../graph/values/message.ts'
import type { ComponentContext } from './context.ts'
import type { Fields, HandleName, Values } from './field.ts'

export type OutputKind =
  | 'message'
  | 'data'
  | 'dataFrame'
  | 'list'
  | 'model'
  | 'embeddings'
  | 'tools'
  | 'any'

export interface OutputOptions<I extends Fields, T> {
  /** Default: the output's name in title case. */
  readonly displayName?: string
  /** Name of the tool created from this output. Default: the output's name. */
  readonly method?: string
  /**
   * True if all readers share one value; false evaluates the output for each reader. Default true.
   */
  readonly cache?: boolean
  readonly hidden?: boolean
  /** Omits the output from new nodes and the catalogue until a refresh adds it. Default false. */
  readonly dynamic?: boolean
  /** True if the output can be used as a tool. Default true. */
  readonly toolMode?: boolean
  readonly groupOutputs?: boolean
  readonly requiredInputs?: readonly string[]
  readonly allowsLoop?: boolean
  readonly loopTypes?: readonly string[]
  /** Type names on the output's handle. Default: those of its kind. */
  readonly types?: readonly string[]
  run(inputs: Values<I>, ctx: ComponentContext): T | Promise<T>
}

export interface OutputDefinition<I extends Fields = Fields> extends OutputOptions<I, unknown> {
  readonly outputKind: OutputKind
  readonly types: readonly string[]
}

/**
 * An output with the types checked by the flow builder: `V` is its value, `H` the names of its value types, and `L` whether it accepts a loop-back edge.
 */
export interface TypedOutput<V = unknown, H extends string = string, L extends boolean = boolean> {
  /** Never set at run time; these three properties carry types only. */
  readonly valueType?: V
  readonly handleType?: H
  readonly loopType?: L
}

/**
 * The declaration of an output, read by `defineComponent`. It is a function so that TypeScript infers the
 * declared inputs first, which types the parameters of `run`.
 */
export type Output<I extends Fields> = () => OutputDefinition<I>

export type Outputs<I extends Fields> = Readonly<Record<string, Output<I>>>

type Rows = DataFrame | readonly object[] | null | undefined

/** Options of an output with values of type `T` that keep the literal types of its handle and loop. */
type Options<I extends Fields, T, Y extends string, L extends boolean> = OutputOptions<I, T> & {
  readonly types?: readonly Y[]
  readonly allowsLoop?: L
}

/** A typed declaration. `Outputs` omits these types so that they do not influence inference. */
type Declaration<
  I extends Fields,
  V,
  H extends string,
  L extends boolean,
> = () => OutputDefinition<I> & TypedOutput<V, H, L>

function declare<I extends Fields, V, H extends string, L extends boolean>(
  outputKind: OutputKind,
  type: string,
  options: OutputOptions<I, unknown>,
): Declaration<I, V, H, L> {
  return () => ({ types: [type], ...options, outputKind })
}

/** Output declarations; each converts the result of `run` to its value type (`toOutputValue`). */
export const output = {
  message: <I extends Fields, const Y extends string = 'Message', const L extends boolean = false>(
    options: Options<I, Message | string | null | undefined, Y, L>,
  ): Declaration<I, Message | null, HandleName<Y>, L> => declare('message', 'Message', options),
  data: <I extends Fields, const Y extends string = 'Data', const L extends boolean = false>(
    options: Options<I, Data | object | null | undefined, Y, L>,
  ): Declaration<I, Data | null, HandleName<Y>, L> => declare('data', 'Data', options),
  dataFrame: <
    I extends Fields,
    const Y extends string = 'DataFrame',
    const L extends boolean = false,
  >(
    options: Options<I, Rows, Y, L>,
  ): Declaration<I, DataFrame | null, HandleName<Y>, L> =>
    declare('dataFrame', 'DataFrame', options),
  list: <I extends Fields, const Y extends string = 'Data', const L extends boolean = false>(
    options: Options<I, readonly (Data | object)[] | null | undefined, Y, L>,
  ): Declaration<I, readonly unknown[] | null, HandleName<Y>, L> =>
    declare('list', 'Data', options),
  model: <
    I extends Fields,
    const Y extends string = 'LanguageModel',
    const L extends boolean = false,
  >(
    options: Options<I, ChatModel, Y, L>,
  ): Declaration<I, ChatModel, HandleName<Y>, L> => declare('model', 'LanguageModel', options),
  embeddings: <
    I extends Fields,
    const Y extends string = 'Embeddings',
    const L extends boolean = false,
  >(
    options: Options<I, Embedder, Y, L>,
  ): Declaration<I, Embedder, HandleName<Y>, L> => declare('embeddings', 'Embeddings', options),
  tools: <I extends Fields, const Y extends string = 'Tool', const L extends boolean = false>(
    options: Options<I, readonly Tool[], Y, L>,
  ): Declaration<I, readonly Tool[], HandleName<Y>, L> => declare('tools', 'Tool', options),
  any: <I extends Fields, const Y extends string, const L extends boolean = false>(
    options: Options<I, unknown, Y, L> & { readonly types: readonly Y[] },
  ): Declaration<I, unknown, HandleName<Y>, L> => declare('any', 'Data', options),
} as const
