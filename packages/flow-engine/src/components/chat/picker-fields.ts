import type { ChatModel } from '../../models/chat-model.ts'
import { chosenChatModel } from './chosen-model.ts'
import type { ComponentContext } from '../define/context.ts'
import { field, type ProviderKey } from '../define/field.ts'
import type { ModelSettings } from './model-answer.ts'
import type { PickedModel } from '../define/picked-model.ts'

/**
 * The fields of a model picker that only some providers need; added to a node when such a provider is
 * selected.
 */
export const pickerAddressFields = {
  base_url_ibm_watsonx: field.string({ displayName: 'watsonx API Endpoint', newer: true }),
  project_id: field.string({ displayName: 'watsonx Project ID', newer: true }),
  ollama_base_url: field.string({ displayName: 'Ollama API URL', newer: true }),
}

export interface PickerInputs {
  readonly model: PickedModel
  readonly api_key: ProviderKey
  readonly base_url_ibm_watsonx: string
  readonly project_id: string
  readonly ollama_base_url: string
}

/** Returns the chat model of a picker with the usual related fields. */
export function pickedChatModel(
  inputs: PickerInputs,
  ctx: ComponentContext,
  settings: ModelSettings = {},
): Promise<ChatModel> {
  return chosenChatModel(pickedAccess(inputs), ctx, { ...settings, streams: false })
}

/** The model, its server and the key, from a picker and its related fields. */
export function pickedAccess(inputs: PickerInputs) {
  return {
    picked: inputs.model,
    apiKey: inputs.api_key,
    addresses: {
      'IBM WatsonX': inputs.base_url_ibm_watsonx,
      Ollama: inputs.ollama_base_url,
    },
    projectId: inputs.project_id,
  }
}
