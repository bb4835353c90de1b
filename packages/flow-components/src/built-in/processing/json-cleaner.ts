import { repairJson } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'

/** Extracts and repairs the JSON object in a model's answer (MO-53). */
export const jsonCleaner = defineComponent({
  type: 'JSONCleaner',
  displayName: 'JSON Cleaner',
  description: "Extracts JSON from a model's answer and repairs it.",
  icon: 'braces',
  category: 'processing',
  module: 'lfx.components.processing.json_cleaner.JSONCleaner',
  legacy: true,
  replacement: ['processing.ParserComponent'],
  inputs: {
    json_str: field.text({ displayName: 'JSON String', required: true }),
    remove_control_chars: field.bool({ displayName: 'Remove Control Characters', default: false }),
    normalize_unicode: field.bool({ displayName: 'Normalize Unicode', default: false }),
    validate_json: field.bool({
      displayName: 'Validate JSON',
      info: 'Has no effect: JSON that cannot be repaired always fails.',
      default: false,
    }),
  },
  outputs: {
    output: output.message({
      displayName: 'Cleaned JSON String',
      method: 'clean_json',
      run(inputs, ctx) {
        const text = clean(inputs)
        ctx.status(text)
        return text
      },
    }),
  },
})

function clean(inputs: {
  readonly json_str: string
  readonly remove_control_chars: boolean
  readonly normalize_unicode: boolean
}): string {
  const { json_str: given } = inputs
  const start = given.indexOf('{')
  const end = given.lastIndexOf('}')
  if (start === -1 || end < start) throw new TypeError('Invalid JSON string: Missing { or }')
  let text = given.slice(start, end + 1)
  if (inputs.remove_control_chars) text = text.replaceAll(/\p{Cc}/gu, '')
  if (inputs.normalize_unicode) text = text.normalize('NFC')
  const read = repairJson(text)
  if (typeof read === 'string') throw new TypeError('Invalid JSON string: cannot be repaired')
  return JSON.stringify(read)
}
