const NAMES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'OLLAMA_BASE_URL',
]

/**
 * The part of the environment that flows may read: the settings of the model providers, and what
 * SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT names. Everything else stays the server's own.
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
