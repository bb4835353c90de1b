import { createData } from '@x/flow-engine'
import { messageToFields } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'

/** Converts a message to Data with all its fields. */
export const messageToData = defineComponent({
  type: 'MessagetoData',
  displayName: 'Message to Data',
  description: 'Converts a message to Data with all its fields.',
  icon: 'message-square-share',
  category: 'processing',
  module: 'lfx.components.processing.message_to_data.MessageToDataComponent',
  legacy: true,
  beta: true,
  replacement: ['processing.TypeConverterComponent'],
  inputs: {
    message: field.message({ displayName: 'Message' }),
  },
  outputs: {
    data: output.data({
      displayName: 'Data',
      method: 'convert_message_to_data',
      run({ message }) {
        return message === null
          ? createData({
              error: 'Error converting Message to Data: Input must be a Message object',
            })
          : createData(messageToFields(message))
      },
    }),
  },
})
