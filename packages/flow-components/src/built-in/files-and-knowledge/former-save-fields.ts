import type { ComponentContext } from '@x/flow-engine'
import { field } from '@x/flow-engine'

/** Fields of Save to File that were renamed after versions 1.1 to 1.3. */
export const formerSaveFields = {
  message: field.handle({ displayName: 'Message', types: ['Message'], newer: true }),
  data: field.handle({ displayName: 'Data', types: ['Data'], newer: true }),
  df: field.handle({ displayName: 'DataFrame', types: ['DataFrame'], newer: true }),
  file_path: field.string({ displayName: 'File Path', newer: true }),
}

interface FormerInputs {
  readonly input: unknown
  readonly message: unknown
  readonly data: unknown
  readonly df: unknown
  readonly file_name: string
  readonly file_path: string
  readonly file_format: string
  readonly local_format: string
  readonly storage_location: readonly { readonly name: string }[]
}

/**
 * Renames inputs to their current names. A node with a format but no storage location is from versions 1.1 to
 * 1.4, which only supported local storage.
 */
export function presentSaveInputs<I extends FormerInputs>(inputs: I, ctx: ComponentContext): I {
  const has = (name: string): boolean => ctx.inputType(name) !== undefined
  if (has('storage_location') || !has('file_format')) return inputs
  const { input, message, data, df } = inputs
  return {
    ...inputs,
    input: [input, message, data, df].find((value) => value !== null && value !== '') ?? null,
    file_name: inputs.file_name || inputs.file_path,
    local_format: '',
    storage_location: [{ name: 'Local' }],
  }
}
