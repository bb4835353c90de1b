import type { FlowRun, RunInput, RunOptions, RunResult } from '../context/run-options.ts'
import type {
  FlowInputs,
  FlowOutputs,
  FlowTweaks,
  FlowVariables,
  NeedsInputs,
  ShapeOf,
} from '../flow/typed-flow.ts'

type Input = string | RunInput

/** The options of which a typed flow knows the types. */
export interface TypedOptionParts<F> {
  readonly input: ShapeOf<F> extends { readonly input: 'required' }
    ? { input: Input }
    : ShapeOf<F> extends { readonly input: 'optional' }
      ? { input?: Input | undefined }
      : { input?: never }
  readonly inputs: NeedsInputs<F> extends true
    ? { inputs: FlowInputs<F> }
    : { inputs?: FlowInputs<F> | undefined }
  readonly session: ShapeOf<F> extends { readonly session: 'required' }
    ? { sessionId: string }
    : { sessionId?: string | undefined }
}

/** What a run of a typed flow is given: its input, values of fields, variables and a session. */
export type TypedValues<F> = TypedOptionParts<F>['input'] &
  TypedOptionParts<F>['inputs'] &
  TypedOptionParts<F>['session'] & {
    tweaks?: FlowTweaks<F> | undefined
    variables?: Variables<F> | undefined
  }

type Variables<F> = [FlowVariables<F>] extends [never]
  ? { readonly [name: string]: never }
  : { readonly [V in FlowVariables<F>]?: string | undefined }

/** `RunOptions` for a flow, with types if the flow has them. */
export type OptionsFor<F, O extends object = RunOptions> = [ShapeOf<F>] extends [never]
  ? O
  : Omit<O, 'input' | 'inputs' | 'tweaks' | 'variables' | 'sessionId'> & TypedValues<F>

/** What the values of a run must be besides their general types; nothing for a flow without types. */
export type TypedPart<
  F,
  K extends string = 'input' | 'inputs' | 'tweaks' | 'variables' | 'sessionId',
> = [ShapeOf<F>] extends [never] ? unknown : Pick<TypedValues<F>, K & keyof TypedValues<F>>

/** Whether options can be left out: always for a flow without types. */
export type OptionArguments<F, O extends object = RunOptions> = [ShapeOf<F>] extends [never]
  ? [options?: O]
  : [options: OptionsFor<F, O>]

/** A run of a flow: with the outputs of a typed flow, else untyped. */
export type RunOf<F> = [ShapeOf<F>] extends [never] ? FlowRun : TypedRun<F>

/** A run whose outputs have types. */
export interface TypedRun<F> extends Omit<FlowRun, 'result'> {
  readonly result: Promise<TypedResult<F>>
}

export interface TypedResult<F> extends Omit<RunResult, 'output'> {
  /**
   * The value of an output. Undefined if it was not computed or was released.
   * @param vertex id or display name of an output node, or of a node whose outputs are not connected
   */
  output<K extends keyof FlowOutputs<F>>(vertex: K, name?: string): FlowOutputs<F>[K] | undefined
}
