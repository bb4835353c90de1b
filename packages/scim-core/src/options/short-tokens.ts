import { ScimConfigError } from '../base/errors.ts'

interface GivenTokens {
  readonly token: string | undefined
  readonly tokens: readonly { readonly token: string }[]
  readonly baseUrl: string | undefined
}

/** Minimum characters of a token; shorter ones can be guessed. */
const MIN_TOKEN_LENGTH = 16

/**
 * Warnings about tokens under 16 characters on a loopback address.
 * @throws ScimConfigError naming the variable on any other address
 */
export function checkTokenLengths({ token, tokens, baseUrl }: GivenTokens): readonly string[] {
  const given: (readonly [name: string, text: string])[] = tokens.map((one) => [
    'SCIM_TOKENS',
    one.token,
  ])
  if (token !== undefined) given.unshift(['SCIM_TOKEN', token])
  const names = given.filter(([, text]) => text.length < MIN_TOKEN_LENGTH).map(([name]) => name)
  const [first] = names
  if (first !== undefined && baseUrl !== undefined && !isLoopback(baseUrl)) {
    const what = first === 'SCIM_TOKEN' ? first : 'Each token of SCIM_TOKENS'
    throw new ScimConfigError(
      first,
      `${what} must have at least ${MIN_TOKEN_LENGTH} characters, unless the service is on a loopback address`,
    )
  }
  return [...new Set(names)].map(
    (name) =>
      `${name} has fewer than ${MIN_TOKEN_LENGTH} characters: enough only while nobody else reaches this machine`,
  )
}

/** True if the host of a URL is this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}
