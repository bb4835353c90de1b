import type { Service } from './service.ts'

/** A further account of the service, with an API key. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly key: string
  /** Access token of a sign-in. */
  readonly token: string
}

const PASSWORD = 'a password of sixteen'

/** Makes an active account, signs in, and stores a key; all over HTTP. */
export async function newPerson(service: Service, name: string): Promise<Person> {
  const made = await service.call('POST', '/api/v1/users/', {
    body: { username: name, password: PASSWORD },
  })
  const { id } = made.json() as { id: string }
  await service.call('PATCH', `/api/v1/users/${id}`, { body: { is_active: true } })
  const token = await signIn(service, name, PASSWORD)
  const key = await service.call('POST', '/api/v1/api_key/', {
    key: null,
    headers: { authorization: `Bearer ${token}` },
    body: { name: 'journey' },
  })
  return { id, name, token, key: (key.json() as { api_key: string }).api_key }
}

/** The access token of a new sign-in. */
export async function signIn(service: Service, name: string, password: string): Promise<string> {
  const answer = await service.call('POST', '/api/v1/login', {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: name, password }).toString(),
  })
  return (answer.json() as { access_token: string }).access_token
}
