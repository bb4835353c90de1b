const STATUS = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_client: 401,
  too_many_requests: 429,
  temporarily_unavailable: 503,
} as const

/** An error of the token endpoint (RFC 6749 section 5.2). */
export class OAuthError extends Error {
  readonly code: keyof typeof STATUS
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: keyof typeof STATUS,
    description: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.headers =
      code === 'invalid_client' ? { 'www-authenticate': 'Basic realm="scim"', ...headers } : headers
  }

  toResponse(): Response {
    return oauthProblem(STATUS[this.code], this.code, this.message, this.headers)
  }
}

/** Formats an error as in RFC 6749. */
export function oauthProblem(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { error, error_description: description },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  )
}
