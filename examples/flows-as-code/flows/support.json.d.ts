// Written by x-flow types from support.json. Do not edit.
import type { Message, TypedFlow } from '@x/flow-engine'

declare const flow: TypedFlow<{
  input: 'required'
  nodes: {
    'ChatInput-in': {
      name: 'Chat Input'
      tweaks: {
        context_id: string
        files: readonly string[]
        input_value: string
        sender: 'Machine' | 'User'
        sender_name: string
        session_id: string
        should_store_message: boolean
      }
    }
    'Prompt-main': {
      name: 'Prompt Template'
      required: { tone: string }
      optional: { sign: string }
      tweaks: {
        template: string
        tool_placeholder: string
      }
    }
    'LanguageModelComponent-llm': {
      name: 'Language Model'
      tweaks: {
        api_key: string
        model_name: 'gpt-4o-mini' | 'gpt-4o' | 'gpt-4.1' | 'gpt-4.1-mini' | 'gpt-4.1-nano' | 'gpt-4-turbo' | 'gpt-4-turbo-preview' | 'gpt-4' | 'gpt-3.5-turbo' | 'gpt-5.1' | 'gpt-5' | 'gpt-5-mini' | 'gpt-5-nano' | 'gpt-5-chat-latest' | 'o1' | 'o3-mini' | 'o3' | 'o3-pro' | 'o4-mini' | 'o4-mini-high'
        provider: 'OpenAI' | 'Anthropic' | 'Google' | 'IBM watsonx.ai' | 'Ollama'
        stream: boolean
        system_message: string
        temperature: number
      }
    }
    'ChatOutput-out': {
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
  session: 'optional'
}>
export default flow
