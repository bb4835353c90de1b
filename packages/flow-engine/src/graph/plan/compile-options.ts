import { anything, choice, optionCheck } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { RunLimits } from './limits.ts'
import { limitsOption, registryOption } from './option-kinds.ts'
import type { CodeAbility } from './resolve-node.ts'
import { budgetOption, type RunBudget } from './run-budget.ts'

export interface CompileOptions {
  readonly components: ComponentRegistry
  /** How far a stopped branch stops vertices downstream. Default `default`. */
  readonly compat?: 'strict' | 'default' | undefined
  readonly limits?: Partial<RunLimits> | undefined
  /** What each run of the plan may use at most. Default: no limit. */
  readonly budget?: RunBudget | undefined
  /** Handling of nodes whose code was changed in the editor. Default `warn`. */
  readonly edited?: 'warn' | 'refuse' | undefined
  /**
   * Runs the code of nodes: the runner that runs receive as `services.codeRunner`; true: a
   * TypeScript runner. Default false.
   */
  readonly customCode?: boolean | CodeAbility | undefined
}

/** `CompileOptions` for a draft, which brings its own components. */
export interface DraftCompileOptions extends Omit<CompileOptions, 'components'> {
  readonly components?: ComponentRegistry | undefined
}

export const COMPILE_PAGE = 'engine-rules.md'

/** The kinds of the options of a compiler. */
export const compileOptionKinds = {
  components: registryOption,
  compat: choice('strict', 'default'),
  limits: limitsOption,
  budget: budgetOption,
  edited: choice('warn', 'refuse'),
  customCode: anything,
}

/** The options of `compileFlow` as they were given. @throws OptionError */
export const readCompileOptions = optionCheck<DraftCompileOptions>(COMPILE_PAGE, compileOptionKinds)
