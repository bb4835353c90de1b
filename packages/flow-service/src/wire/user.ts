import { z } from 'zod'
import type { UserChanges } from '../services/accounts/users.ts'
import type { UserRecord } from '../store/users.ts'
import { bool, dateTime, dict, maybe, nameText, text } from './scalars.ts'

/** The create payload of a user. */
export const UserCreate = z
  .object({
    username: text({ min: 1, max: 255 }),
    password: text({ min: 1, max: 4096 }),
    optins: maybe(dict()),
  })
  .meta({ id: 'UserCreate' })

/** The update payload of a user; null and absent mean unchanged. */
export const UserUpdate = z
  .object({
    username: maybe(text({ min: 1, max: 255 })),
    profile_image: maybe(nameText()),
    password: maybe(text({ max: 4096 })),
    is_active: maybe(bool()),
    is_superuser: maybe(bool()),
    last_login_at: maybe(dateTime()),
    optins: maybe(dict()),
  })
  .meta({ id: 'UserUpdate' })

/** The payload of a password reset; only its passwords are used. A setting decides if the current one is required. */
export const PasswordResetBody = UserUpdate.extend({
  current_password: maybe(text()),
}).meta({ id: 'PasswordReset' })

/** The field read by a password reset. */
export const PasswordReset = z.object({
  password: text({ min: 1, max: 4096 }),
  current_password: maybe(text()),
})

/** The same with `requireCurrentPassword`. */
export const ConfirmedPasswordReset = PasswordReset.extend({ current_password: text() })

const time = z.string().meta({ format: 'date-time' })

/** A user as returned by the service. */
export const UserRead = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    username: z.string(),
    profile_image: z.string().nullable(),
    store_api_key: z.string().nullable(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    create_at: time,
    updated_at: time,
    last_login_at: time.nullable(),
    optins: z.looseObject({}).nullable(),
  })
  .meta({ id: 'User' })

/** A page of users. */
export const UserList = z
  .strictObject({ total_count: z.int(), users: z.array(UserRead) })
  .meta({ id: 'UserList' })

/** Converts a user to its wire form. */
export function userToWire(user: UserRecord): z.input<typeof UserRead> {
  return {
    id: user.id,
    username: user.username,
    profile_image: user.profileImage,
    store_api_key: user.storeApiKey,
    is_active: user.isActive,
    is_superuser: user.isSuperuser,
    create_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    optins: user.optins,
  }
}

/** Converts an update payload to the service's form. */
export function userChangesFromWire(wire: z.output<typeof UserUpdate>): UserChanges {
  return {
    username: wire.username ?? undefined,
    profileImage: wire.profile_image ?? undefined,
    password: wire.password ?? undefined,
    isActive: wire.is_active ?? undefined,
    isSuperuser: wire.is_superuser ?? undefined,
    lastLoginAt: wire.last_login_at ?? undefined,
    optins: wire.optins ?? undefined,
  }
}
