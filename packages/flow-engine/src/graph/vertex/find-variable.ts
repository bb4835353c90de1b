import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { isVendorKey } from '../../outgoing/vendors.ts'
import { own } from '../flow/plain-object.ts'
import type { RunContext } from '../context/run-context.ts'

interface Lookup {
  /** Request variables. */
  readonly variables: Readonly<Record<string, string>> | undefined
  /** Also allows vendors' API keys from the environment, so that flows need not contain them (AB-41). */
  readonly takesKeys: boolean
  readonly run: Pick<RunContext, 'services' | 'flowId' | 'userId'>
}

/** FE-20: resolves a variable from the request, the user, then the environment; null if it does not exist. */
export async function findVariable(
  name: string,
  { variables, takesKeys, run }: Lookup,
): Promise<{ value: string; origin: VariableOrigin } | null> {
  const { services, flowId, userId } = run
  const given = variables === undefined ? undefined : own(variables, name)
  if (typeof given === 'string') return { value: given, origin: 'request' }
  const stored = await services.variables?.get(name, scopeOf({ flowId, userId }))
  if (stored !== undefined && stored !== null) return { value: stored, origin: 'user' }
  if (services.environment === undefined || (isVendorKey(name) && !takesKeys)) return null
  const preset = own(services.environment, name)
  return typeof preset === 'string' ? { value: preset, origin: 'environment' } : null
}

/** FE-65: true for a value of the user that its type declares to be text, not a secret. */
export async function isTextVariable(
  name: string,
  origin: VariableOrigin,
  run: Lookup['run'],
): Promise<boolean> {
  if (origin !== 'user') return false
  return (await run.services.variables?.isText?.(name, scopeOf(run))) === true
}

function scopeOf({ flowId, userId }: Pick<RunContext, 'flowId' | 'userId'>): {
  flowId: string
  userId?: string
} {
  return userId === undefined ? { flowId } : { userId, flowId }
}
