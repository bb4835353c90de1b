/** Handles a request, or a part of one. */
export type Answer = (request: Request) => Promise<Response>

/** Handles the paths of an admin API. */
export type AdminAnswer = (request: Request, path: string) => Promise<Response>

/** What the flow service reads of a request: credentials, and whether a page of another site sent it. */
const PASSED_ON = ['authorization', 'x-api-key', 'origin', 'sec-fetch-site']

/**
 * Authenticates a superuser with the flow service. Cookies are removed: unlike tokens and keys, browsers
 * send them with cross-site requests. While no credentials are required, such requests are refused (AB-67).
 */
export async function authorizeSuperuser(
  flow: Answer,
  request: Request,
): Promise<{ readonly tenant: string; readonly actor: string } | Response> {
  const headers = new Headers()
  for (const name of PASSED_ON) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const answer = await flow(new Request(new URL('/api/v1/users/whoami', request.url), { headers }))
  if (!answer.ok) return refusal(401, 'unauthorized', 'Sign in first.')
  const user = (await answer.json()) as { readonly id: string; readonly is_superuser: boolean }
  if (!user.is_superuser) return refusal(403, 'forbidden', 'Superusers only.')
  return { tenant: 'default', actor: user.id }
}

const refusal = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } }, { status, headers: { 'cache-control': 'no-store' } })
