import {
  anything,
  callback,
  choice,
  either,
  flag,
  implementing,
  kindOf,
  optionCheck,
  OptionError,
  text,
} from '@x/wire'
import type { RunOptions } from '../context/run-options.ts'
import { isFlowDraft } from '../draft/flow-draft.ts'
import { graphOf, type FlowPlan } from '../plan/compile.ts'
import { limitsOption, registryOption, servicesOption } from '../plan/option-kinds.ts'
import { budgetOption } from '../plan/run-budget.ts'

const PAGE = 'engine-rules.md'
const isText = (value: unknown): boolean => typeof value === 'string'
const anObject = kindOf('an object', (value) => typeof value === 'object' && value !== null)
const passes = kindOf(
  'an integer from 1 to 1000',
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1000,
)
const places = kindOf('a number of at least 1', (value) => typeof value === 'number' && value >= 1)

const read = optionCheck<RunOptions>(PAGE, {
  components: registryOption,
  compat: choice('strict', 'default'),
  mode: choice('run', 'build'),
  // Input, notes and values of fields come from requests as often as from the host: they are no options.
  input: anything,
  outputType: choice('chat', 'text', 'any', 'debug'),
  outputComponent: text,
  sessionId: text,
  flowId: text,
  flowName: text,
  userId: text,
  tweaks: anything,
  inputs: anything,
  context: anObject,
  keep: either(isText, choice('outputs'), anything),
  variables: anObject,
  stopComponentId: text,
  startComponentId: text,
  stream: flag,
  blankTokens: flag,
  reasoning: flag,
  concurrency: places,
  parallel: passes,
  retry: anObject,
  services: servicesOption,
  allowPrivate: flag,
  cache: implementing('ResultCache', 'get', 'set'),
  runtime: implementing('Runtime', 'now', 'uuid'),
  hooks: anObject,
  carrier: anything,
  requestId: anything,
  signal: kindOf('an AbortSignal', (value) => typeof Object(value).addEventListener === 'function'),
  limits: limitsOption,
  budget: budgetOption,
  prices: anything,
  countTokens: callback,
})

/** The options of a run as they were given, each read once. @throws OptionError */
export function readRunOptions(called: string, flow: unknown, given: unknown): RunOptions {
  const options = read(called, given)
  const needsComponents = options.components === undefined && !isFlowDraft(flow) && !isPlan(flow)
  if (!needsComponents) return options
  throw new OptionError('components', `${called}: option "components" is required`, PAGE)
}

function isPlan(flow: unknown): boolean {
  return typeof flow === 'object' && flow !== null && graphOf(flow as FlowPlan) !== undefined
}
