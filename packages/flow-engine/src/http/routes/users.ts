import { z } from 'zod'
import { IdParams, int } from '../../wire/scalars.ts'
import {
  PasswordReset,
  UserCreate,
  userChangesFromWire,
  UserList,
  UserRead,
  userToWire,
  UserUpdate,
} from '../../wire/user.ts'
import { parseBody } from '../parse.ts'
import { route, type Route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/users/',
      summary: 'Add User',
      auth: 'superuser',
      status: 201,
      body: UserCreate,
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
      params: IdParams('user_id'),
      body: UserUpdate,
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
      params: IdParams('user_id'),
      body: UserUpdate,
      output: UserRead,
    },
    async ({ services, caller, params, body }) => {
      // Whose password it is counts before what is to become of it.
      services.users.checkOwnPassword(caller, params.user_id)
      const { password } = parseBody(PasswordReset, body)
      return userToWire(await services.users.resetPassword(caller, params.user_id, password))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/users/{user_id}',
      summary: 'Delete User',
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
