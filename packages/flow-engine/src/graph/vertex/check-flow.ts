import { kindOf, optionCheck } from '@x/wire'
import type { FlowDraft } from '../draft/flow-draft.ts'
import { sortProblems, type FlowProblem } from '../flow/problems.ts'
import { buildGraph } from '../plan/build-graph.ts'
import {
  analyse,
  withComponents,
  type Analysis,
  type CompileOptions,
  type DraftCompileOptions,
} from '../plan/compile.ts'
import { COMPILE_PAGE, compileOptionKinds } from '../plan/compile-options.ts'
import { missingSettings, type KnownVariables } from './missing-settings.ts'

interface Known {
  /**
   * Names of the variables of the user and of the environment, so that missing keys are listed as warnings.
   * Default: not known, so that no missing key is.
   */
  readonly variables?: Iterable<string> | undefined
}

export interface CheckOptions extends CompileOptions, Known {}
export interface DraftCheckOptions extends DraftCompileOptions, Known {}

const iterable = kindOf(
  'a list of names',
  (value) => typeof value !== 'string' && typeof Object(value)[Symbol.iterator] === 'function',
)
const readCheckOptions = optionCheck<DraftCheckOptions>(COMPILE_PAGE, {
  ...compileOptionKinds,
  variables: iterable,
})

/**
 * Runs the checks of `compileFlow`, and finds required fields and keys that are blank. Returns errors and
 * warnings in a fixed order, whatever the flow is.
 * @throws OptionError, a TypeError, for a wrong, missing or unknown option
 */
export function checkFlow(draft: FlowDraft, options?: DraftCheckOptions): FlowProblem[]
export function checkFlow(flow: unknown, options: CheckOptions): FlowProblem[]
export function checkFlow(given: unknown, options: DraftCheckOptions = {}): FlowProblem[] {
  const read = readCheckOptions('checkFlow', options)
  const [flow, complete] = withComponents(given, read, 'checkFlow')
  const names = read.variables === undefined ? undefined : new Set(read.variables)
  const known = names && { has: (name: string) => names.has(name), keptFor: () => undefined }
  return allOf(analyse(flow, complete), complete, known)
}

/**
 * The same checks as `checkFlow`, but each problem of an unknown type names only its own node, so that it can
 * be shown beside that node.
 */
export function checkEachNode(
  flow: unknown,
  options: CompileOptions,
  known?: KnownVariables,
): FlowProblem[] {
  return allOf(analyse(flow, options, 'each-node'), options, known)
}

function allOf(
  { problems, inputs, warnings, nodes, edges }: Analysis,
  { components }: CompileOptions,
  known: KnownVariables | undefined,
): FlowProblem[] {
  const graph = buildGraph(nodes, edges, components)
  const errors = sortProblems([...problems, ...inputs])
  return [...errors, ...warnings, ...missingSettings(graph, known)]
}
