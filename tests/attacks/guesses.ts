import type { Service } from '../journeys/service.ts'

export const PASSWORD = 'the password of the superuser'

/** Addresses count as the proxy of the tests gives them. */
export const GUESSED = {
  SERVICE_SUPERUSER_PASSWORD: PASSWORD,
  SERVICE_NEW_USER_IS_ACTIVE: 'true',
  SERVICE_TRUST_PROXY: 'true',
}

export interface Guess {
  readonly name: string
  readonly password: string
  readonly address: string
}

/** Signs in by form, as the login page does. */
export async function signIn(service: Service, { name, password, address }: Guess) {
  const begun = performance.now()
  const answer = await service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username: name, password }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    },
  })
  return { answer, status: answer.status, ms: performance.now() - begun }
}

/**
 * The most guesses that are looked at: a bucket's size and what it has gained since.
 * @param since `performance.now()` when they began
 */
export function mostGuesses(size: number, perSecond: number, since: number): number {
  return size + Math.ceil(((performance.now() - since) / 1000) * perSecond)
}

export const countOf = (statuses: readonly { status: number }[], status: number): number =>
  statuses.filter((one) => one.status === status).length
