import { createMessage } from '../../../graph/values/message.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Accepts text as input of the flow. It has no sender and is never stored. */
export const textInput = defineComponent({
  type: 'TextInput',
  displayName: 'Text Input',
  description: 'Accepts text as input of the flow.',
  icon: 'type',
  category: 'input_output',
  module: 'lfx.components.input_output.text.TextInputComponent',
  role: 'input',
  inputs: {
    input_value: field.multiline({ displayName: 'Text', info: 'The text.' }),
  },
  outputs: {
    text: output.message({
      displayName: 'Output Text',
      method: 'text_response',
      run(inputs, ctx) {
        const message = createMessage({ text: inputs.input_value, timestamp: ctx.runtime.now() })
        ctx.status(message)
        return message
      },
    }),
  },
})
