/** Names of the conventions, by our own without what is not a letter. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['amazonbedrock', 'aws.bedrock'],
  ['azureaifoundry', 'azure.ai.inference'],
  ['azureopenai', 'azure.ai.openai'],
  ['googlegenerativeai', 'gcp.gemini'],
  ['ibmwatsonx', 'ibm.watsonx.ai'],
  ['mistral', 'mistral_ai'],
  ['openaicompatible', 'openai'],
  ['vertexai', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
])

/** A provider as the GenAI conventions name it; others in small letters. */
export function providerName(provider: string): string {
  return NAMES.get(provider.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? provider.toLowerCase()
}
