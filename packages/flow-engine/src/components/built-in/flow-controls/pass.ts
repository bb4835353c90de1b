import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

/** Passes a message on; its second input only creates a dependency on another node. */
export const pass = defineComponent({
  type: 'Pass',
  displayName: 'Pass',
  description: 'Passes a message on unchanged.',
  icon: 'arrow-right',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.pass_message.PassMessageComponent',
  legacy: true,
  replacement: ['logic.ConditionalRouter'],
  inputs: {
    input_message: field.message({ displayName: 'Input Message', required: true }),
    ignored_message: field.message({ displayName: 'Ignored Message', advanced: true }),
  },
  outputs: {
    output_message: output.message({
      displayName: 'Output Message',
      method: 'pass_message',
      run(inputs, ctx) {
        ctx.status(inputs.input_message)
        return inputs.input_message
      },
    }),
  },
})
