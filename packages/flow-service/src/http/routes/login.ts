import { json } from '@x/wire'
import { z } from 'zod'
import type { SignIn } from '../../services/accounts/session.ts'
import { LoginForm, TokenObject } from '../../wire/login.ts'
import { readBearer } from '../access/authenticate.ts'
import { refuseForeign } from '../access/origins.ts'
import { readCookies } from '../request/cookies.ts'
import { route, type Call, type Route } from '../route/route.ts'
import {
  ACCESS_COOKIE,
  REFRESH_COOKIE,
  sessionCookies,
  signedOutCookies,
  withCookies,
} from '../access/session-cookies.ts'

export const loginRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/login',
      summary: 'Login To Get Access Token',
      auth: 'none',
      before: refuseForeign,
      consumes: 'form',
      audit: { action: 'sign_in', target: 'user', refused: true },
      body: LoginForm,
      output: TokenObject,
    },
    async (call) => {
      const { username, password } = call.body
      const clientAddress = call.context.clientAddress ?? ''
      const session = await call.services.login.signIn({ username, password, clientAddress })
      call.notes.actorId = call.notes.targetId = session.user.id
      return signedIn(call, session, 'login')
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/auto_login',
      summary: 'Auto Login',
      auth: 'none',
      audit: { action: 'sign_in', target: 'user' },
      output: TokenObject,
    },
    async (call) => {
      const session = await call.services.login.autoLogin()
      call.notes.actorId = call.notes.targetId = session.user.id
      return signedIn(call, session, 'auto')
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/refresh',
      summary: 'Refresh Token',
      auth: 'none',
      before: refuseForeign,
      output: TokenObject,
    },
    async (call) => {
      const token = readCookies(call.request).get(REFRESH_COOKIE)
      return signedIn(call, await call.services.login.refresh(token), 'refresh')
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/logout',
      summary: 'Logout',
      auth: 'none',
      before: refuseForeign,
      audit: { action: 'sign_out', target: null },
      output: z.object({ message: z.string() }),
    },
    async ({ services, request }) => {
      const cookies = readCookies(request)
      const accessTokens = [cookies.get(ACCESS_COOKIE), readBearer(request)].filter(
        (token) => token !== undefined,
      )
      await services.login.signOut({ refreshToken: cookies.get(REFRESH_COOKIE), accessTokens })
      const { settings, now } = services.status
      const answer = json(request, { message: 'Logout successful' })
      return withCookies(answer, signedOutCookies(settings, now()))
    },
  ),
]

function signedIn(
  { request, services }: Pick<Call<unknown, unknown, unknown>, 'request' | 'services'>,
  session: SignIn,
  kind: 'login' | 'refresh' | 'auto',
): Response {
  const tokens = {
    access_token: session.accessToken,
    refresh_token: session.refreshToken,
    token_type: 'bearer',
  }
  return withCookies(json(request, tokens), sessionCookies(services.status.settings, session, kind))
}
