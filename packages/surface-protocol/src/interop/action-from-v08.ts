import { defined, isPlainObject, type JsonObject } from '../json.ts'
import type { DistinctIds } from '../message/v08/distinct-ids.ts'
import { V09 } from './v09.ts'

/** Converts an action of a version 0.8 client to version 0.9. */
export function actionFromV08(
  { userAction }: JsonObject,
  idsOf: (surfaceId: string) => DistinctIds | undefined,
): JsonObject | null {
  if (!isPlainObject(userAction)) return null
  const { name, surfaceId, sourceComponentId: id, timestamp, context } = userAction
  const ids = typeof surfaceId === 'string' ? idsOf(surfaceId) : undefined
  const sourceComponentId = typeof id === 'string' ? (ids?.sourceOf(id) ?? id) : id
  return {
    version: V09,
    action: defined({ name, surfaceId, sourceComponentId, timestamp, context }) as JsonObject,
  }
}
