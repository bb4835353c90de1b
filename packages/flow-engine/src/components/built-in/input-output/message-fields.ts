import { field } from '../../define/field.ts'

/**
 * Inputs with which Chat Input and Chat Output store a message.
 * @param sessionInfo describes which session an empty Session ID means
 */
export function messageFields(options: {
  readonly sender: 'Machine' | 'User'
  readonly senderName: string
  readonly sessionInfo: string
}) {
  return {
    should_store_message: field.bool({
      displayName: 'Store Messages',
      default: true,
      advanced: true,
      info: 'Store the message in the history.',
    }),
    sender: field.dropdown({
      displayName: 'Sender Type',
      default: options.sender,
      advanced: true,
      options: ['Machine', 'User'],
    }),
    sender_name: field.text({
      displayName: 'Sender Name',
      default: options.senderName,
      advanced: true,
    }),
    session_id: field.text({
      displayName: 'Session ID',
      advanced: true,
      info: options.sessionInfo,
    }),
    context_id: field.text({ displayName: 'Context ID', advanced: true }),
  }
}
