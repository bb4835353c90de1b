import { z } from 'zod'
import type { ClientMessage } from './client-message.ts'
import { parseTimestamp } from './client-message.ts'
import type { DataEntry } from './data-entry.ts'
import type { ServerMessage } from './messages.ts'

const id = z.string().min(1)
const json = z.record(z.string(), z.json())

const instance = z.strictObject({
  id,
  component: z
    .record(z.string(), json)
    .refine((value) => Object.keys(value).length === 1, 'A component holds exactly one type'),
  weight: z.number().optional(),
})

const VALUES = ['valueString', 'valueNumber', 'valueBoolean', 'valueMap'] as const

const entry: z.ZodType<DataEntry> = z
  .strictObject({
    key: z.string(),
    valueString: z.string().optional(),
    valueNumber: z.number().optional(),
    valueBoolean: z.boolean().optional(),
    get valueMap() {
      return z.array(entry).optional()
    },
  })
  .refine(
    (value) => VALUES.filter((name) => value[name] !== undefined).length === 1,
    'An entry holds exactly one value',
  ) as unknown as z.ZodType<DataEntry>

/** A data path: every `~` is part of `~0` or `~1`. */
const path = z.string().regex(/^(?:[^~]|~[01])*$/u)

/** The documented schema of a server message; validation does not use it. */
export const serverMessageSchema: z.ZodType<ServerMessage> = z.union([
  z.strictObject({
    beginRendering: z.strictObject({
      surfaceId: id,
      root: id,
      catalogId: id.optional(),
      styles: json.optional(),
    }),
  }),
  z.strictObject({
    surfaceUpdate: z.strictObject({ surfaceId: id, components: z.array(instance).min(1) }),
  }),
  z.strictObject({
    dataModelUpdate: z.strictObject({
      surfaceId: id,
      path: path.optional(),
      contents: z.array(entry),
    }),
  }),
  z.strictObject({ deleteSurface: z.strictObject({ surfaceId: id }) }),
]) as unknown as z.ZodType<ServerMessage>

/** The documented schema of a client message. */
export const clientMessageSchema: z.ZodType<ClientMessage> = z.union([
  z.strictObject({
    userAction: z.looseObject({
      name: id,
      surfaceId: id,
      sourceComponentId: id,
      timestamp: z.string().refine((text) => parseTimestamp(text) !== null, 'RFC 3339 date-time'),
      context: json,
    }),
  }),
  z.strictObject({ error: json }),
])
