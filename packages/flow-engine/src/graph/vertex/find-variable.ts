import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { isVendorKey } from '../../outgoing/vendors.ts'
import { own } from '@x/wire'
import type { RunContext } from '../context/run-context.ts'

interface Lookup {
  /** Request variables. */
  readonly variables: Readonly<Record<string, string>> | undefined
  /** Also allows vendors' API keys from the environment, so that flows need not contain them. */
  readonly takesKeys: boolean
  readonly run: Pick<RunContext, 'services' | 'flowId' | 'userId'> &
    Partial<Pick<RunContext, 'ownTexts'>>
}

/** Resolves a variable from the request, the user, then the environment; null if it does not exist. */
export async function findVariable(
  name: string,
  { variables, takesKeys, run }: Lookup,
): Promise<{ value: string; origin: VariableOrigin } | null> {
  const { services, flowId, userId } = run
  const given = variables === undefined ? undefined : own(variables, name)
  if (typeof given === 'string') return { value: given, origin: 'request' }
  const stored = await services.variables?.get(name, scopeOf({ flowId, userId }))
  if (stored !== undefined && stored !== null) {
    run.ownTexts?.add(stored)
    return { value: stored, origin: 'user' }
  }
  if (services.environment === undefined || (isVendorKey(name) && !takesKeys)) return null
  const preset = own(services.environment, name)
  return typeof preset === 'string' ? { value: preset, origin: 'environment' } : null
}

/**
 * True for a variable whose value ordinary fields may show. The type of the user's stored variable
 * decides, also about a request's variable of that name; other variables of a request are shown.
 */
export async function isShownVariable(
  name: string,
  origin: VariableOrigin,
  run: Lookup['run'],
): Promise<boolean> {
  if (origin === 'environment') return false
  const { variables } = run.services
  const scope = scopeOf(run)
  if ((await variables?.isText?.(name, scope)) === true) return true
  return origin === 'request' && ((await variables?.get(name, scope)) ?? null) === null
}

function scopeOf({ flowId, userId }: Pick<RunContext, 'flowId' | 'userId'>): {
  flowId: string
  userId?: string
} {
  return userId === undefined ? { flowId } : { userId, flowId }
}
