import { modelJsonTexts } from '@x/flow-engine/internal'
import { defineComponent, errorText } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'

/** Extracts and repairs the JSON object in a model's answer. */
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
  let text = inputs.json_str
  if (inputs.remove_control_chars) text = text.replaceAll(/\p{Cc}/gu, '')
  if (inputs.normalize_unicode) text = text.normalize('NFC')
  try {
    const texts = modelJsonTexts(text).map(compact)
    return texts.length === 1 ? texts.join('') : `[${texts.join(',')}]`
  } catch (error) {
    const shown = text.trim().slice(0, 80)
    throw new TypeError(`${errorText(error)}${shown === '' ? '' : `: ${shown}`}`, { cause: error })
  }
}

/** A string or a number of well-formed JSON. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const NUMBER_MARK = '\u0000#'

/** Writes JSON without white space; of equal keys the last counts, and numbers keep their digits. */
function compact(json: string): string {
  const marked = json.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : JSON.stringify(NUMBER_MARK + token),
  )
  const text = JSON.stringify(JSON.parse(marked))
  return text.replaceAll(/"\\u0000#(-?\d[\d.eE+-]*)"/g, '$1')
}
