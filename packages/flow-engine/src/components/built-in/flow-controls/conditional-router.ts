import { createMessage, type Message } from '../../../graph/values/message.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { parseNumberText } from '../../values/number-text.ts'
import { output } from '../../define/output.ts'
import { TEXT_COMPARISONS } from '../../text/text-comparisons.ts'
import { linearPattern } from '../../text/linear-pattern.ts'

const DECISION = 'decision'
const BUILDS = 'builds'

const caseSensitive = field.bool({
  displayName: 'Case Sensitive',
  info: 'Whether the comparison is case-sensitive.',
  default: true,
  advanced: true,
})

/**
 * Routes one of two messages depending on a text comparison. The other branch is stopped until the
 * router decides again; a cycle through it ends after `max_iterations`.
 */
export const conditionalRouter = defineComponent({
  type: 'ConditionalRouter',
  displayName: 'If-Else',
  description: 'Compares two texts and continues with one of two branches.',
  icon: 'split',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.conditional_router.ConditionalRouterComponent',
  inputs: {
    input_text: field.text({ displayName: 'Text Input', required: true }),
    operator: field.dropdown({
      closed: true,
      displayName: 'Operator',
      options: [
        'equals',
        'not equals',
        'contains',
        'starts with',
        'ends with',
        'regex',
        'less than',
        'less than or equal',
        'greater than',
        'greater than or equal',
      ],
      default: 'equals',
      refresh: true,
    }),
    match_text: field.text({ displayName: 'Match Text', required: true }),
    case_sensitive: caseSensitive,
    true_case_message: field.message({ displayName: 'Case True', advanced: true }),
    false_case_message: field.message({ displayName: 'Case False', advanced: true }),
    // In nodes of versions 1.0 to 1.4: the message sent in both cases (NX-36).
    message: field.message({ displayName: 'Message', newer: true }),
    max_iterations: field.int({
      displayName: 'Max Iterations',
      info: 'Maximum number of decisions in a run; then the default route is taken.',
      default: 10,
      advanced: true,
    }),
    default_route: field.dropdown({
      displayName: 'Default Route',
      options: ['true_result', 'false_result'],
      default: 'false_result',
      advanced: true,
    }),
  },
  outputs: {
    true_result: output.message({
      displayName: 'True',
      method: 'true_response',
      groupOutputs: true,
      run: ({ true_case_message, message, input_text }, ctx) =>
        decisionOf(ctx).sendsTrue
          ? passOn([true_case_message, message], input_text, ctx)
          : createMessage(''),
    }),
    false_result: output.message({
      displayName: 'False',
      method: 'false_response',
      groupOutputs: true,
      run: ({ false_case_message, message, input_text }, ctx) =>
        decisionOf(ctx).sendsFalse
          ? passOn([false_case_message, message], input_text, ctx)
          : createMessage(''),
    }),
  },
  prepare(inputs, ctx) {
    if (inputs.operator !== 'regex') return decide(compare(inputs), inputs, ctx)
    return matches(inputs).then((holds) => decide(holds, inputs, ctx))
  },
  refresh(template, name, value, ctx) {
    if (name !== 'operator') return
    if (value === 'regex') delete template.case_sensitive
    else template.case_sensitive ??= ctx.field('case_sensitive', caseSensitive)
  },
})

interface Decision {
  readonly sendsTrue: boolean
  readonly sendsFalse: boolean
}

interface Comparison {
  readonly input_text: string
  readonly operator: string
  readonly match_text: string
  readonly case_sensitive: boolean
}

interface Routing {
  readonly max_iterations: number
  readonly default_route: string
}

function decide(holds: boolean, inputs: Routing, ctx: ComponentContext): void {
  const before = buildsOf(ctx)
  const isOver = before >= inputs.max_iterations && inputs.default_route === 'true_result'
  ctx.state.set(DECISION, { sendsTrue: holds || isOver, sendsFalse: !holds } satisfies Decision)
  ctx.state.set(BUILDS, before + 1)
  closeBranch(holds ? 'false_result' : 'true_result', { ...inputs, builds: before + 1 }, ctx)
}

/** Tests whether the pattern matches at the start of the text; an invalid pattern never matches. */
async function matches({ input_text, match_text }: Comparison): Promise<boolean> {
  return (await linearPattern(match_text))?.matchesAtStart(input_text) ?? false
}

/** Number comparisons of other text are false. */
function compare({ input_text, operator, match_text, case_sensitive }: Comparison): boolean {
  const fold = (text: string): string => (case_sensitive ? text : text.toLowerCase())
  const byText = TEXT_COMPARISONS.get(operator)
  if (byText !== undefined) return byText(fold(input_text), fold(match_text))
  const byNumber = NUMBER_OPERATORS.get(operator)
  const [left, right] = [parseNumberText(input_text), parseNumberText(match_text)]
  return byNumber !== undefined && left !== null && right !== null && byNumber(left, right)
}

const NUMBER_OPERATORS = new Map<string, (left: number, right: number) => boolean>([
  ['less than', (left, right) => left < right],
  ['less than or equal', (left, right) => left <= right],
  ['greater than', (left, right) => left > right],
  ['greater than or equal', (left, right) => left >= right],
])

interface Limits extends Routing {
  readonly builds: number
}

/** At the limit, the route other than the default is closed, so that a cycle ends. */
function closeBranch(losing: string, limits: Limits, ctx: ComponentContext): void {
  if (limits.builds >= limits.max_iterations && losing === limits.default_route) {
    ctx.include('true_result')
    ctx.include('false_result')
    ctx.stop(losing === 'true_result' ? 'false_result' : 'true_result')
    return
  }
  ctx.stop(losing)
  ctx.exclude(losing)
}

/** Sends the first case that is not blank; without one the input goes on, but in nodes up to 1.9. */
function passOn(cases: readonly (Message | null)[], input: string, ctx: ComponentContext): Message {
  const chosen = cases.find((message) => message !== null && !isBlank(message))
  const blank = OLDER_CODE.has(ctx.codeHash() ?? '') ? '' : input
  const passed = chosen ?? createMessage(blank)
  ctx.status(passed)
  return passed
}

function isBlank({ text, files, contentBlocks }: Message): boolean {
  return text === '' && files.length === 0 && contentBlocks.length === 0
}

/** Hashes of the released code of 1.1 to 1.9, in which a blank case sends an empty message. */
export const OLDER_CODE: ReadonlySet<string> = new Set([
  '35f7b1bd08fa',
  'c3c9ba4a01b0',
  '0723360fc97e',
  '38cb737e265b',
  '4506a833d145',
  'e92b1b243e5f',
])

function buildsOf(ctx: ComponentContext): number {
  const builds = ctx.state.get(BUILDS)
  return typeof builds === 'number' ? builds : 0
}

function decisionOf(ctx: ComponentContext): Decision {
  return ctx.state.get(DECISION) as Decision
}
