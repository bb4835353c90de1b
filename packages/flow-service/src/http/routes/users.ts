import { json } from '@x/wire'
import { z } from 'zod'
import { IdParams, int } from '../../wire/scalars.ts'
import {
  ConfirmedPasswordReset,
  PasswordReset,
  PasswordResetBody,
  UserCreate,
  userChangesFromWire,
  UserList,
  UserRead,
  userToWire,
  UserUpdate,
} from '../../wire/user.ts'
import { SMALL_BODY } from '../route/body-limit.ts'
import { parseBody } from '../request/parse.ts'
import { userFacts } from '../route/audit-rule.ts'
import { route, type Route } from '../route/route.ts'
import { sessionCookies, withCookies } from '../access/session-cookies.ts'

export const userRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/users/',
      summary: 'Add User',
      auth: 'superuser',
      maxBody: SMALL_BODY,
      status: 201,
      body: UserCreate,
      audit: { action: 'user.created', target: 'user' },
      output: UserRead,
    },
    async ({ services, body: { username, password, optins } }) =>
      userToWire(
        await services.users.create({
          username,
          password,
          ...(optins === undefined ? {} : { optins }),
        }),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/users/',
      summary: 'Read All Users',
      auth: 'superuser',
      query: z.object({ skip: int().default(0), limit: int().default(10) }),
      output: UserList,
    },
    async ({ services, query }) => {
      const { items, total } = await services.users.list(query)
      return { total_count: total, users: items.map(userToWire) }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/users/whoami',
      summary: 'Read Current User',
      auth: 'user',
      output: UserRead,
    },
    ({ caller }) => userToWire(caller.record),
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/users/{user_id}',
      summary: 'Patch User',
      auth: 'user',
      maxBody: SMALL_BODY,
      params: IdParams('user_id'),
      body: UserUpdate,
      audit: { action: 'user.changed', target: 'user', idFrom: 'user_id', facts: userFacts },
      output: UserRead,
    },
    async ({ services, caller, params, body }) =>
      userToWire(await services.users.patch(caller, params.user_id, userChangesFromWire(body))),
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/users/{user_id}/reset-password',
      summary: 'Reset Password',
      auth: 'user',
      maxBody: SMALL_BODY,
      params: IdParams('user_id'),
      body: PasswordResetBody,
      audit: { action: 'password.changed', target: 'user', idFrom: 'user_id', refused: true },
      output: UserRead,
    },
    async ({ services, caller, params, body, context, request }) => {
      // Ownership is checked before the new password.
      services.passwordReset.check(caller, params.user_id)
      const { settings } = services.status
      const schema = settings.requireCurrentPassword ? ConfirmedPasswordReset : PasswordReset
      const { password, current_password: currentPassword } = parseBody(schema, body)
      const { user, session } = await services.passwordReset.reset(caller, {
        password,
        currentPassword: currentPassword ?? null,
        clientAddress: context.clientAddress ?? '',
      })
      const answer = json(request, userToWire(user))
      if (session === null) return answer
      return withCookies(answer, sessionCookies(settings, session, 'refresh'))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/users/{user_id}',
      summary: 'Delete User',
      audit: { action: 'user.deleted', target: 'user', idFrom: 'user_id' },
      auth: 'superuser',
      params: IdParams('user_id'),
      output: z.object({ detail: z.string() }),
    },
    async ({ services, caller, params }) => {
      await services.users.remove(caller, params.user_id)
      return { detail: 'User deleted' }
    },
  ),
]
