import { z } from 'zod'
import type { VariableView } from '../services/accounts/variables.ts'
import { dateTime, maybe, nameText, orNull, text, uuid } from './scalars.ts'

/** The create payload of a variable; the key `default_fields` is required. */
export const VariableCreate = z
  .object({
    name: nameText(),
    value: text(),
    default_fields: z.array(nameText()).max(1000).nullable(),
    type: orNull(nameText()),
    created_at: orNull(dateTime()),
    updated_at: orNull(dateTime()),
  })
  .meta({ id: 'VariableCreate' })

/** The update payload of a variable. */
export const VariableUpdate = z
  .object({
    id: uuid(),
    name: maybe(nameText()),
    value: maybe(text()),
    default_fields: maybe(z.array(nameText()).max(1000)),
  })
  .meta({ id: 'VariableUpdate' })

/** A variable as returned by the service. */
export const VariableRead = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    type: z.string(),
    value: z.string().nullable(),
    default_fields: z.array(z.string()).nullable(),
  })
  .meta({ id: 'Variable' })

/** Converts a variable to its wire form. */
export function variableToWire({ record, shown }: VariableView): z.input<typeof VariableRead> {
  return {
    id: record.id,
    name: record.name,
    type: record.type,
    value: shown,
    default_fields: record.defaultFields === null ? null : [...record.defaultFields],
  }
}
