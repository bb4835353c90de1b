/** OpenAI chat models offered by the editor. */
export const openAiChatModels = [
  'gpt-4o-mini',
  'gpt-4o',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4.1-nano',
  'gpt-4-turbo',
  'gpt-4-turbo-preview',
  'gpt-4',
  'gpt-3.5-turbo',
] as const

/** Models that accept neither temperature nor seed. */
export const openAiReasoningModels = [
  'gpt-5.1',
  'gpt-5',
  'gpt-5-mini',
  'gpt-5-nano',
  'gpt-5-chat-latest',
  'o1',
  'o3-mini',
  'o3',
  'o3-pro',
  'o4-mini',
  'o4-mini-high',
] as const

export const anthropicModels = [
  'claude-opus-4-5-20251101',
  'claude-haiku-4-5-20251001',
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-1-20250805',
  'claude-opus-4-20250514',
  'claude-sonnet-4-20250514',
  'claude-3-5-haiku-20241022',
  'claude-3-haiku-20240307',
] as const

export const watsonxModels = [
  'ibm/granite-3-2b-instruct',
  'ibm/granite-3-8b-instruct',
  'ibm/granite-13b-instruct-v2',
] as const

export const watsonxEndpoints = [
  'https://us-south.ml.cloud.ibm.com',
  'https://eu-de.ml.cloud.ibm.com',
  'https://eu-gb.ml.cloud.ibm.com',
  'https://au-syd.ml.cloud.ibm.com',
  'https://jp-tok.ml.cloud.ibm.com',
  'https://ca-tor.ml.cloud.ibm.com',
] as const

/** Also matches names newer than the lists and names with a vendor prefix. */
export function isReasoningModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return /^(o\d|gpt-5)/.test(name)
}
