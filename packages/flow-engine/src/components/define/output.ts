import type { ChatModel, Embedder, Tool } from '../../models/chat-model.ts'
import type { Data } from '../../graph/values/data.ts'
import type { DataFrame } from '../../graph/values/data-frame.ts'
import type { Message } from '../../graph/values/message.ts'
import type { ComponentContext } from './context.ts'
import type { Fields, Values } from './field.ts'

export type OutputKind =
  'message' | 'data' | 'dataFrame' | 'list' | 'model' | 'embeddings' | 'tools' | 'any'

export interface OutputOptions<I extends Fields, T> {
  /** Default: the output's name with capitals. */
  readonly displayName?: string
  /** Name of the tool made of this output (CO-20). Default: the output's name. */
  readonly method?: string
  /** Default true; false computes the output anew for each reader (FE-25). */
  readonly cache?: boolean
  readonly hidden?: boolean
  /** In no new node and not in the catalogue until a refresh brings it in. */
  readonly dynamic?: boolean
  /** Default true. */
  readonly toolMode?: boolean
  readonly groupOutputs?: boolean
  readonly requiredInputs?: readonly string[]
  readonly allowsLoop?: boolean
  readonly loopTypes?: readonly string[]
  /** Names on the output's handle; default those of its kind. */
  readonly types?: readonly string[]
  run(inputs: Values<I>, ctx: ComponentContext): T | Promise<T>
}

export interface OutputDefinition<I extends Fields = Fields> extends OutputOptions<I, unknown> {
  readonly outputKind: OutputKind
  readonly types: readonly string[]
}

/**
 * The declaration of one output, read by `defineComponent`. A function, because TypeScript then
 * infers the declared inputs before it looks at `run`: the parameters of `run` are typed.
 */
export type Output<I extends Fields> = () => OutputDefinition<I>

export type Outputs<I extends Fields> = Readonly<Record<string, Output<I>>>

type Rows = DataFrame | readonly object[] | null | undefined

function declare<I extends Fields>(
  outputKind: OutputKind,
  type: string,
  options: OutputOptions<I, unknown>,
): Output<I> {
  return () => ({ types: [type], ...options, outputKind })
}

/** Declarations of outputs; each turns what `run` returns into its value (`toOutputValue`). */
export const output = {
  message: <I extends Fields>(
    options: OutputOptions<I, Message | string | null | undefined>,
  ): Output<I> => declare('message', 'Message', options),
  data: <I extends Fields>(
    options: OutputOptions<I, Data | object | null | undefined>,
  ): Output<I> => declare('data', 'Data', options),
  dataFrame: <I extends Fields>(options: OutputOptions<I, Rows>): Output<I> =>
    declare('dataFrame', 'DataFrame', options),
  list: <I extends Fields>(
    options: OutputOptions<I, readonly (Data | object)[] | null | undefined>,
  ): Output<I> => declare('list', 'Data', options),
  model: <I extends Fields>(options: OutputOptions<I, ChatModel>): Output<I> =>
    declare('model', 'LanguageModel', options),
  embeddings: <I extends Fields>(options: OutputOptions<I, Embedder>): Output<I> =>
    declare('embeddings', 'Embeddings', options),
  tools: <I extends Fields>(options: OutputOptions<I, readonly Tool[]>): Output<I> =>
    declare('tools', 'Tool', options),
  any: <I extends Fields>(
    options: OutputOptions<I, unknown> & { readonly types: readonly string[] },
  ): Output<I> => declare('any', 'Data', options),
} as const
