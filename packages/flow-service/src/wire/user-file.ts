import { z } from 'zod'
import type { UserFileRecord } from '../store/user-files.ts'

/** A user's file, as returned by upload and rename. */
export const UserFileRead = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    path: z.string(),
    size: z.int(),
    provider: z.string().nullable(),
  })
  .meta({ id: 'UserFile' })

const time = z.string().meta({ format: 'date-time' })

/** A file in a list. */
export const UserFileEntry = UserFileRead.extend({
  user_id: z.string().meta({ format: 'uuid' }),
  created_at: time,
  updated_at: time,
}).meta({ id: 'UserFileEntry' })

/** Converts a file to its wire form. */
export function userFileToWire(record: UserFileRecord): z.input<typeof UserFileRead> {
  const { id, name, path, size, provider } = record
  return { id, name, path, size, provider }
}

/** Converts a listed file to its wire form. */
export function userFileEntryToWire(record: UserFileRecord): z.input<typeof UserFileEntry> {
  return {
    ...userFileToWire(record),
    user_id: record.userId,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }
}
