import { engine } from '../../lib/engine.ts'
import echo from '../../lib/echo.json'

/** Placeholder for the app's own sign-in: sets a session cookie, and creates a flow for a new user. */
export async function POST(request: Request): Promise<Response> {
  const cookie = 'session=session-of-ada'
  await engine.handler(
    new Request(new URL('/api/v1/flows/', request.url), {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(echo),
    }),
  )
  return new Response(null, {
    status: 303,
    headers: { location: '/', 'set-cookie': `${cookie}; Path=/; HttpOnly; SameSite=Lax` },
  })
}
