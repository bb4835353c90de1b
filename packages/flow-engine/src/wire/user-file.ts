import { z } from 'zod'
import type { UserFileRecord } from '../store/user-files.ts'

/** A file of a user, as upload and rename answer it. */
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

/** A file of a list. */
export const UserFileEntry = UserFileRead.extend({
  user_id: z.string().meta({ format: 'uuid' }),
  created_at: time,
  updated_at: time,
}).meta({ id: 'UserFileEntry' })

/** A file in the words of the wire. */
export function userFileToWire(record: UserFileRecord): z.input<typeof UserFileRead> {
  const { id, name, path, size, provider } = record
  return { id, name, path, size, provider }
}

/** A file of a list in the words of the wire. */
export function userFileEntryToWire(record: UserFileRecord): z.input<typeof UserFileEntry> {
  return {
    ...userFileToWire(record),
    user_id: record.userId,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }
}
