import { createMessage } from '../../../graph/values/message.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Returns text as output of the flow. It has no sender and is never stored. */
export const textOutput = defineComponent({
  type: 'TextOutput',
  displayName: 'Text Output',
  description: 'Returns text as output of the flow.',
  icon: 'type',
  category: 'input_output',
  module: 'lfx.components.input_output.text_output.TextOutputComponent',
  role: 'output',
  inputs: {
    input_value: field.multiline({ displayName: 'Inputs', info: 'The text.' }),
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
