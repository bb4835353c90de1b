import { defineComponent, errorText } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { linearPattern } from '@x/flow-engine/internal'
import { oncePerBuild } from '@x/flow-engine/internal'

/** Extracts the matches of a pattern from text. */
export const regexExtractor = defineComponent({
  type: 'RegexExtractorComponent',
  displayName: 'Regex Extractor',
  description: 'Extracts the matches of a regular expression from text.',
  icon: 'regex',
  category: 'processing',
  module: 'lfx.components.processing.regex.RegexExtractorComponent',
  legacy: true,
  replacement: ['processing.ParserComponent'],
  inputs: {
    input_text: field.text({ displayName: 'Input Text', required: true }),
    pattern: field.text({ displayName: 'Regex Pattern', required: true, toolMode: true }),
  },
  outputs: {
    data: output.list({
      displayName: 'Data',
      method: 'extract_matches',
      async run(inputs, ctx) {
        const found = await extract(inputs, ctx)
        const rows =
          typeof found === 'string' ? [{ error: found }] : found.map((match) => ({ match }))
        ctx.status(rows)
        return rows
      },
    }),
    text: output.message({
      displayName: 'Message',
      method: 'get_matches_text',
      async run(inputs, ctx) {
        const found = await extract(inputs, ctx)
        const text = typeof found === 'string' ? found : found.join('\n') || 'No matches found'
        ctx.status(text)
        return text
      },
    }),
  },
})

interface ExtractInputs {
  readonly input_text: string
  readonly pattern: string
}

/** Finds the matches once for both outputs; a string describes an error in the pattern. */
const extract = oncePerBuild(
  async ({ input_text: text, pattern }: ExtractInputs): Promise<string[] | string> => {
    if (pattern === '' || text === '') return []
    try {
      const compiled = await linearPattern(pattern)
      if (compiled === null) return `Invalid regex pattern: ${pattern}`
      return compiled.all(text).filter((match) => match !== '')
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return `Invalid regex pattern: ${errorText(error)}`
    }
  },
)
