import { createMessage } from '../../../graph/values/message.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { checkFiles } from '../../chat/file-not-found.ts'
import { output } from '../../define/output.ts'
import { messageFields } from './message-fields.ts'

const IMAGE_AND_TEXT_FILES =
  'csv json pdf txt md mdx yaml yml xml html htm docx py sh sql js ts tsx jpg jpeg png bmp image'.split(
    ' ',
  )

/** Accepts the user's input, which is stored and announced if there is a session. */
export const chatInput = defineComponent({
  type: 'ChatInput',
  displayName: 'Chat Input',
  description: 'Receives the chat input of the user.',
  icon: 'MessagesSquare',
  category: 'input_output',
  module: 'lfx.components.input_output.chat.ChatInput',
  role: 'input',
  minimized: true,
  inputs: {
    input_value: field.multiline({
      displayName: 'Input Text',
      inputTypes: [],
      info: 'The text of the message.',
    }),
    ...messageFields({
      sender: 'User',
      senderName: 'User',
      sessionInfo: 'If empty, the session of the run.',
    }),
    files: field.file({
      displayName: 'Files',
      advanced: true,
      list: true,
      extensions: IMAGE_AND_TEXT_FILES,
      temp: true,
    }),
  },
  outputs: {
    message: output.message({
      displayName: 'Chat Message',
      method: 'message_response',
      async run(inputs, ctx) {
        const { flowId, userId } = ctx
        const scope = userId === undefined ? { flowId } : { flowId, userId }
        await checkFiles(inputs.files, ctx.services.files, scope)
        const sessionId = inputs.session_id || ctx.sessionId
        const message = createMessage({
          text: inputs.input_value,
          sender: inputs.sender,
          senderName: inputs.sender_name,
          sessionId,
          contextId: inputs.context_id,
          files: inputs.files.map(({ path }) => path),
          flowId,
          timestamp: ctx.runtime.now(),
        })
        const stores = inputs.should_store_message && sessionId !== ''
        const sent = stores ? await ctx.sendMessage(message) : message
        ctx.status(sent)
        return sent
      },
    }),
  },
})
