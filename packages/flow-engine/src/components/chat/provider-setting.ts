import type { ComponentContext } from '../define/context.ts'
import type { ProviderKey } from '../define/field.ts'
import { isVariableValue, type VariableOrigin } from '../define/variable-value.ts'

/** A key, an address or a project, and where it comes from (AB-41). */
export interface ProviderSetting {
  readonly value: string
  readonly origin: 'node' | VariableOrigin
  /** Name of the variable; "" for a text of the node. */
  readonly name: string
}

/**
 * The first setting that is not blank: the node's own value, else the variable of that name of the
 * request, of the user, of the environment (NX-13). Null if all are missing.
 */
export async function providerSetting(
  given: ProviderKey,
  name: string,
  ctx: Pick<ComponentContext, 'variable'>,
): Promise<ProviderSetting | null> {
  if (isVariableValue(given)) {
    if (given.origin !== null && given.value.trim() !== '') {
      return { value: given.value.trim(), origin: given.origin, name: given.name }
    }
  } else if (given !== null && given.trim() !== '') {
    return { value: given.trim(), origin: 'node', name: '' }
  }
  const found = name === '' ? null : await ctx.variable(name)
  if (found === null || found.origin === null || found.value.trim() === '') return null
  return { value: found.value.trim(), origin: found.origin, name }
}
