import { dataText } from '../../../graph/values/convert.ts'
import { isData } from '../../../graph/values/data.ts'
import { createMessage, isMessage } from '../../../graph/values/message.ts'
import { defineComponent } from '../../define/define.ts'
import { parseDoubleBraces } from '../../text/double-braces.ts'
import { field } from '../../define/field.ts'
import { formatPlace } from '../../text/format-spec.ts'
import {
  fillOnce,
  parseTemplate,
  type WorkCounter,
  type TemplatePart,
} from '../../text/format-template.ts'
import { output } from '../../define/output.ts'
import { switchBraces, updatePromptFields } from './prompt-variables.ts'

/** Fills a text template with values. */
export const promptTemplate = defineComponent({
  type: 'Prompt Template',
  furtherFields: true,
  displayName: 'Prompt Template',
  description: 'Fills in a template: each {name} in it becomes an input.',
  icon: 'braces',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.prompt.PromptComponent',
  aliases: ['Prompt', 'PromptTemplate'],
  priority: 0,
  inputs: {
    template: field.prompt({ displayName: 'Template' }),
    use_double_brackets: field.bool({
      displayName: 'Use Double Brackets',
      default: false,
      newer: true,
      refresh: true,
    }),
    tool_placeholder: field.text({
      displayName: 'Tool Placeholder',
      advanced: true,
      toolMode: true,
    }),
  },
  outputs: {
    prompt: output.message({
      displayName: 'Prompt',
      method: 'build_prompt',
      run(inputs, ctx) {
        const values: Readonly<Record<string, unknown>> = inputs
        const double = inputs.use_double_brackets
        const parts = double ? parseDoubleBraces(inputs.template) : parseTemplate(inputs.template)
        const fill = double ? plainText : filled
        const files = parts.flatMap(({ name }) => filesOf(name, values))
        const answer = (text: string) => {
          const message = createMessage({ text, files, timestamp: ctx.runtime.now() })
          ctx.status(text)
          return message
        }
        const text = fillOnce(parts, (part, spend) => fill(part, values, spend))
        return text instanceof Promise ? text.then(answer) : answer(text)
      },
    }),
  },
  refresh(template, name, value, ctx) {
    const customFields = { template: furtherFields(template) }
    if (name === 'use_double_brackets') {
      const switched = switchBraces({ template, customFields }, value === true)
      return { ...switched, outputs: ctx.outputs }
    }
    if (name !== 'template' || typeof value !== 'string') return undefined
    const mustache = template.use_double_brackets?.value === true
    const update = updatePromptFields({ template, customFields }, name, value, { mustache })
    return { template: update.template, customFields: update.customFields, outputs: ctx.outputs }
  },
})

/** Variables are the fields not declared by the component. */
function furtherFields(template: object): string[] {
  const own = new Set([
    '_type',
    'code',
    'template',
    'tool_placeholder',
    'tools_metadata',
    'use_double_brackets',
  ])
  return Object.keys(template).filter((name) => !own.has(name))
}

/** Returns the value of a double-brace variable; unset variables are empty. */
function plainText({ name }: TemplatePart, values: Readonly<Record<string, unknown>>): string {
  const value = name !== undefined && Object.hasOwn(values, name) ? plainOf(values[name]) : null
  return value === null || value === undefined ? '' : formatPlace(value, { spec: '' })
}

function filled(
  part: TemplatePart,
  values: Readonly<Record<string, unknown>>,
  spend: WorkCounter,
): string {
  const { name, path } = part
  if (name === undefined) return ''
  if (name === '') throw new SyntaxError('A placeholder in the template has no name')
  if (path.length > 0) {
    throw new SyntaxError(`{${part.target ?? name}}: only plain variable names are allowed`)
  }
  if (!Object.hasOwn(values, name)) throw new TypeError(`The variable "${name}" has no value`)
  return formatPlace(plainOf(values[name]), part, spend)
}

/** Converts Messages and Data to their text, including in lists. */
function plainOf(value: unknown): unknown {
  if (isMessage(value)) return typeof value.text === 'string' ? value.text : ''
  if (isData(value)) return dataText(value)
  return Array.isArray(value) ? value.map(plainOf) : value
}

function filesOf(
  name: string | undefined,
  values: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
  return isMessage(value) ? value.files : []
}
