import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { writeMessage } from '@x/flow-engine/internal'

/** Stores a message, like Message History in mode Store. */
export const storeMessage = defineComponent({
  type: 'StoreMessage',
  displayName: 'Message Store',
  description: 'Stores a message in the history of a session.',
  icon: 'message-square-text',
  category: 'processing',
  module: 'lfx.components.processing.store_message.MessageStoreComponent',
  legacy: true,
  replacement: ['helpers.Memory'],
  inputs: {
    message: field.text({
      displayName: 'Message',
      info: 'The message to store.',
      required: true,
      toolMode: true,
    }),
    memory: field.memory({
      displayName: 'External Memory',
      info: 'Another message store. If empty, the messages of this service.',
    }),
    sender: field.text({ displayName: 'Sender', advanced: true }),
    sender_name: field.text({ displayName: 'Sender Name', advanced: true }),
    session_id: field.text({
      displayName: 'Session ID',
      info: 'If empty, the session of the run.',
      advanced: true,
    }),
  },
  outputs: {
    stored_messages: output.message({
      displayName: 'Stored Messages',
      method: 'store_message',
      hidden: true,
      run: (inputs, ctx) => writeMessage({ ...inputs, context_id: '' }, ctx),
    }),
  },
})
