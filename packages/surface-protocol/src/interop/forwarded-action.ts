import { createSystemRuntime } from '@x/wire'
import { isPlainObject, ownValue, type JsonObject } from '../json.ts'

/**
 * The action in what AG-UI clients forward: a whole `RunAgentInput`, its `a2uiAction`, or `{userAction}`. A missing
 * timestamp is the present time, a missing context is empty; nothing else is checked. Null for anything else. Never
 * throws.
 * @param options.now default: the system time
 */
export function readForwardedAction(
  input: unknown,
  { now }: { readonly now?: Date } = {},
): { userAction: JsonObject } | null {
  const userAction =
    at(input, 'forwardedProps', 'a2uiAction', 'userAction') ??
    at(input, 'a2uiAction', 'userAction') ??
    at(input, 'userAction')
  if (!isPlainObject(userAction)) return null
  const { timestamp, context } = userAction
  const present = (): string => (now ?? createSystemRuntime().now()).toISOString()
  const filled: Readonly<Record<string, unknown>> = {
    ...userAction,
    timestamp: timestamp ?? present(),
    context: context ?? {},
  }
  return { userAction: filled as JsonObject }
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  let found = value
  for (const key of keys) found = isPlainObject(found) ? ownValue(found, key) : undefined
  return found
}
