import { createMessage, type Message } from '../../../graph/values/message.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output, type OutputDefinition } from '../../define/output.ts'
import type { QuestionOption } from '../../define/suspend-options.ts'

const FALLBACK = 'fallback'
const DECISION = 'decision'
const CHOICES: readonly string[] = ['Approve', 'Reject']
/** Maximum number of choices in a question; others are ignored. */
const MAX_CHOICES = 100

const UNITS: ReadonlyMap<unknown, number> = new Map([
  ['Minutes', 60_000],
  ['Hours', 3_600_000],
  ['Days', 86_400_000],
])

interface Inputs {
  readonly prompt: string
  readonly decisions: readonly string[]
  readonly timeout: Readonly<Record<string, unknown>>
  readonly enable_fallback: boolean
}

/**
 * Asks a person to choose and continues with the branch of the choice. Its outputs correspond to the
 * choices stored in the node. A node without connected outputs does not ask.
 */
export const humanInput = defineComponent({
  type: 'HumanInput',
  displayName: 'Human Input',
  description: 'Waits for a person to choose how the flow continues.',
  icon: 'HumanInput',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.human_input.HumanInput',
  suspends: 'connected',
  inputs: {
    prompt: field.multiline({ displayName: 'Input' }),
    decisions: field.string({
      displayName: 'User Choices',
      list: true,
      required: true,
      default: CHOICES,
      refresh: true,
      attributes: {
        _input_type: 'ActionPickerInput',
        type: 'actionPicker',
        combobox: true,
        options: [],
      },
    }),
    timeout: field.nestedDict({
      displayName: 'Timeout',
      advanced: true,
      show: false,
      default: { unit: 'Days', value: 3 },
      attributes: {
        _input_type: 'DurationInput',
        type: 'duration',
        options: ['Minutes', 'Hours', 'Days'],
      },
    }),
    enable_fallback: field.bool({
      displayName: 'Enable Fallback',
      advanced: true,
      default: false,
      refresh: true,
    }),
  },
  outputs: Object.fromEntries(
    optionsOf(CHOICES).map(({ actionId, label }) => [
      `branch_${actionId}`,
      output.message({
        displayName: label,
        method: 'route_branch',
        groupOutputs: true,
        run: () => '',
      }),
    ]),
  ),
  nodeOutputs: (values) => branches(values),
  refresh(template, name, value, ctx) {
    if (name === 'enable_fallback' && template.timeout !== undefined)
      template.timeout = { ...template.timeout, show: value === true }
    if (name !== 'decisions' && name !== 'enable_fallback') return undefined
    const valueOf = (of: string): unknown => (name === of ? value : template[of]?.value)
    const values = { decisions: valueOf('decisions'), enable_fallback: valueOf('enable_fallback') }
    return {
      template,
      outputs: Object.entries(branches(values)).map(([key, made]) => ctx.output(key, made)),
    }
  },
})

/** Reads the choices of a node: trimmed, without duplicate `action_id`s. */
function optionsOf(decisions: unknown): QuestionOption[] {
  const options = new Map<string, QuestionOption>()
  for (const choice of Array.isArray(decisions) ? decisions.slice(0, MAX_CHOICES) : []) {
    const label = typeof choice === 'string' ? choice.trim() : ''
    const actionId = label.toLowerCase().replaceAll(' ', '_')
    if (actionId !== '' && !options.has(actionId)) options.set(actionId, { actionId, label })
  }
  return [...options.values()]
}

/** Returns one output per choice, and one for the fallback. */
function branches(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, OutputDefinition>> {
  const options = optionsOf(values.decisions ?? CHOICES)
  const labels = new Map(options.map(({ actionId, label }) => [actionId, label]))
  if (values.enable_fallback === true && !labels.has(FALLBACK)) labels.set(FALLBACK, 'Fallback')
  const ids = [...labels.keys()]
  const made: Record<string, OutputDefinition> = Object.create(null) as Record<string, never>
  for (const [actionId, label] of labels) {
    made[`branch_${actionId}`] = {
      outputKind: 'message',
      types: ['Message'],
      displayName: label,
      method: 'route_branch',
      groupOutputs: true,
      run: (inputs, ctx) => route(inputs as unknown as Inputs, ctx, { actionId, ids }),
    }
  }
  return made
}

/** The first output of a build asks; the others reuse the answer. */
async function route(
  inputs: Inputs,
  ctx: ComponentContext,
  { actionId, ids }: { readonly actionId: string; readonly ids: readonly string[] },
): Promise<Message> {
  const message = createMessage(inputs.prompt)
  if (ctx.connected.size === 0) return message
  const known = ctx.state.get(DECISION) as { build: number; chosen: string } | undefined
  if (known?.build === ctx.build) return known.chosen === actionId ? message : createMessage('')
  const chosen = await ask(inputs, ctx)
  ctx.state.set(DECISION, { build: ctx.build, chosen })
  for (const other of ids) if (other !== chosen) ctx.stop(`branch_${other}`)
  ctx.status(chosen)
  return chosen === actionId ? message : createMessage('')
}

async function ask(
  { prompt, decisions, timeout, enable_fallback }: Inputs,
  ctx: ComponentContext,
): Promise<string> {
  const count = Number(timeout.value)
  const expiresInMs = count * (UNITS.get(timeout.unit) ?? 0)
  const answer = await ctx.suspend<{ readonly action_id: string }>(
    { prompt },
    {
      kind: 'node_input',
      prompt,
      options: optionsOf(decisions),
      ...(enable_fallback ? { fallback: { action_id: FALLBACK } } : {}),
      ...(enable_fallback && expiresInMs > 0 ? { expiresInMs } : {}),
    },
  )
  return answer.action_id
}
