import { createVerifyClient, type Exchange } from './client.ts'

/** A client of OAuth 2.0, and what it proves itself with. */
export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly secret?: string
  /** A JWT of another issuer (RFC 7523), as workloads have it. */
  readonly assertion?: string
}

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Asks for an access token by client credentials. @throws ExchangeError */
export function requestToken(
  { tokenUrl, clientId, secret, assertion }: ClientCredentials,
  credential: 'secret' | 'assertion',
  exchange: Omit<Parameters<typeof createVerifyClient>[0], 'url' | 'headers'>,
): Promise<Exchange> {
  const proof =
    credential === 'secret'
      ? { client_secret: secret ?? '' }
      : { client_assertion_type: JWT_BEARER, client_assertion: assertion ?? '' }
  const form = { grant_type: 'client_credentials', client_id: clientId, ...proof }
  return createVerifyClient({ url: tokenUrl, headers: {}, ...exchange }).send({
    method: 'POST',
    path: '',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  })
}
