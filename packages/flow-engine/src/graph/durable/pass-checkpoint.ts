import { isObject } from '@x/wire'
import { decodeValue, encodeJson, encodeValue } from './checkpoint.ts'
import { DEAD_EDGE, UNBUILT } from '../vertex/inputs.ts'

/** The values a loop pass returned, stored so that a resumed run can skip the pass. */
export interface ReturnedPass {
  /** By position of the loop-back edge: a value, `DEAD_EDGE` or `UNBUILT`. */
  readonly returned: ReadonlyMap<number, unknown>
  /** Builds so far of the vertices in the passes, by id. */
  readonly builds: ReadonlyMap<string, number>
}

/** The key it is stored under, among the checkpoints of vertices. */
export function passName(loopId: string, pass: number): string {
  return `#${pass}#${loopId}`
}

/** Undefined if a value is not serialisable; the passes are then repeated. */
export function encodePass({ returned, builds }: ReturnedPass): string | undefined {
  return encodeJson(() => ({
    returned: [...returned].map(([edge, value]) => {
      if (value === DEAD_EDGE) return [edge, 'dead']
      return value === UNBUILT ? [edge, 'unbuilt'] : [edge, 'value', encodeValue(value)]
    }),
    builds: [...builds],
  }))
}

export function decodePass(state: string | undefined): ReturnedPass | undefined {
  const stored: unknown = state === undefined ? undefined : JSON.parse(state)
  // Ids are untrusted: a vertex may have the name of a pass.
  if (!isObject(stored) || !Array.isArray(stored['returned'])) return undefined
  const returned = stored['returned'] as [number, string, unknown][]
  return {
    returned: new Map(returned.map(([edge, kind, value]) => [edge, readReturned(kind, value)])),
    builds: new Map(stored['builds'] as [string, number][]),
  }
}

function readReturned(kind: string, value: unknown): unknown {
  if (kind === 'dead') return DEAD_EDGE
  return kind === 'unbuilt' ? UNBUILT : decodeValue(value)
}
