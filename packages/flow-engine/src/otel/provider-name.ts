/** Provider names of the conventions, keyed by our names reduced to letters. */
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

/** The name of a provider in the GenAI conventions; other names in lower case. */
export function providerName(provider: string): string {
  return NAMES.get(provider.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? provider.toLowerCase()
}
