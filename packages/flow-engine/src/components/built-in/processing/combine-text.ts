import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Joins two strings with a delimiter, even if one is empty. */
export const combineText = defineComponent({
  type: 'CombineText',
  displayName: 'Combine Text',
  description: 'Joins two texts.',
  icon: 'merge',
  category: 'processing',
  module: 'lfx.components.processing.combine_text.CombineTextComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    text1: field.text({ displayName: 'First Text' }),
    text2: field.text({ displayName: 'Second Text' }),
    delimiter: field.text({ displayName: 'Delimiter', default: ' ' }),
  },
  outputs: {
    combined_text: output.message({
      displayName: 'Combined Text',
      method: 'combine_texts',
      run(inputs, ctx) {
        const text = [inputs.text1, inputs.text2].join(inputs.delimiter)
        ctx.status(text)
        return text
      },
    }),
  },
})
