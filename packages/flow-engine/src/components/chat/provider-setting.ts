import type { ComponentContext } from '../define/context.ts'
import type { ProviderKey } from '../define/field.ts'
import { isVariableValue, type VariableOrigin } from '../define/variable-value.ts'

/** A key, address or project with its origin. */
export interface ProviderSetting {
  readonly value: string
  readonly origin: 'node' | VariableOrigin
  /** Name of the variable; "" for a value from the node. */
  readonly name: string
  /** True if the node names neither the value nor the variable. */
  readonly lookedUp: boolean
}

/**
 * Returns the first setting that is not blank: the node's own value, then the variable of the request, the
 * user, and the environment. Null if none is set.
 */
export async function providerSetting(
  given: ProviderKey,
  name: string,
  ctx: Pick<ComponentContext, 'variable'>,
): Promise<ProviderSetting | null> {
  if (isVariableValue(given)) {
    if (given.origin !== null && given.value.trim() !== '') {
      const { origin, name: own, lookedUp } = given
      return { value: given.value.trim(), origin, name: own, lookedUp }
    }
  } else if (given !== null && given.trim() !== '') {
    return { value: given.trim(), origin: 'node', name: '', lookedUp: false }
  }
  const found = name === '' ? null : await ctx.variable(name)
  if (found === null || found.origin === null || found.value.trim() === '') return null
  return { value: found.value.trim(), origin: found.origin, name, lookedUp: true }
}
