const NAMES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'OLLAMA_BASE_URL',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'OPENROUTER_API_KEY',
  'WATSONX_APIKEY',
  'WATSONX_URL',
  'WATSONX_PROJECT_ID',
  'AZURE_OPENAI_API_KEY',
  'AZURE_OPENAI_ENDPOINT',
  'AZURE_AI_FOUNDRY_API_KEY',
  'AZURE_AI_FOUNDRY_ENDPOINT',
]

/**
 * The environment variables flows may read: settings of the model providers, and those named in
 * SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT. All others are private to the server.
 */
export function providerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  further: readonly string[] = [],
): Record<string, string> {
  const chosen = [...NAMES, ...further].flatMap((name) => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(chosen)
}
