// Written by x-flow types from text.json. Do not edit.
import type { Message, TypedFlow } from '@x/flow-engine'

declare const flow: TypedFlow<{
  input: 'optional'
  nodes: {
    'TextInput-a': {
      name: 'Text Input'
      optional: { input_value: string }
    }
    'Memory-m': {
      name: 'Message History'
      tweaks: {
        context_id: string
        mode: 'Retrieve' | 'Store'
        n_messages: number
        order: 'Ascending' | 'Descending'
        sender: string
        sender_type: 'Machine' | 'User' | 'Machine and User'
        session_id: string
      }
      output: unknown
    }
    'ChatOutput-o': {
      name: 'Chat Output'
      tweaks: {
        clean_data: boolean
        context_id: string
        data_template: string
        sender: 'Machine' | 'User'
        sender_name: string
        session_id: string
        should_store_message: boolean
      }
      output: Message
    }
  }
  variables: never
  session: 'required'
}>
export default flow
