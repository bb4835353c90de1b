import { z } from 'zod'
import type { ApiKeyRecord } from '../store/api-keys.ts'
import { bool, dateTime, int, orNull, text, uuid } from './scalars.ts'

/** Length of a clear-text key; the list shows the prefix and one `*` for each further character. */
const KEY_LENGTH = 46

/** The data of a new key; all fields are validated, `name`, `created_at` and `agent_id` are used. */
export const ApiKeyCreate = z
  .object({
    name: orNull(text()),
    last_used_at: orNull(dateTime()),
    total_uses: int().default(0),
    is_active: bool().default(true),
    api_key: orNull(text()),
    user_id: orNull(uuid()),
    agent_id: orNull(text()),
    created_at: z.preprocess((value) => (isEmpty(value) ? null : value), orNull(dateTime())),
  })
  .meta({ id: 'ApiKeyCreate' })

/** The key of the component store. */
export const StoreKey = z.object({ api_key: text() }).meta({ id: 'StoreKey' })

/** Values that the original takes for an absent time. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value !== undefined && !value
}

const time = z.string().meta({ format: 'date-time' })
const id = z.string().meta({ format: 'uuid' })

/** A new key in clear text. */
export const ApiKeyCreated = z
  .strictObject({
    name: z.string().nullable(),
    last_used_at: time.nullable(),
    total_uses: z.int(),
    is_active: z.boolean(),
    id,
    api_key: z.string(),
    user_id: id,
    agent_id: z.string().optional(),
  })
  .meta({ id: 'ApiKeyCreated' })

/** A key in a list, masked. */
export const ApiKeyRead = ApiKeyCreated.extend({ created_at: time }).meta({ id: 'ApiKey' })

/** The keys of a user. */
export const ApiKeyList = z
  .strictObject({ total_count: z.int(), user_id: id, api_keys: z.array(ApiKeyRead) })
  .meta({ id: 'ApiKeyList' })

/** Converts a new key to its wire form. */
export function createdKeyToWire(record: ApiKeyRecord, key: string): z.input<typeof ApiKeyCreated> {
  return {
    name: record.name,
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
    total_uses: record.totalUses,
    is_active: record.isActive,
    id: record.id,
    api_key: key,
    user_id: record.userId,
    ...(record.agentId !== null && { agent_id: record.agentId }),
  }
}

/** Converts a listed key to its wire form. */
export function apiKeyToWire(record: ApiKeyRecord): z.input<typeof ApiKeyRead> {
  const masked = record.prefix.padEnd(KEY_LENGTH, '*')
  return { ...createdKeyToWire(record, masked), created_at: record.createdAt.toISOString() }
}
