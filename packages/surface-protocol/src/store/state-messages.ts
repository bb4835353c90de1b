import { append } from '@x/wire'
import { STANDARD_CATALOG_ID } from '../catalog/standard.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import {
  beginRendering,
  surfaceUpdate,
  type ComponentInstance,
  type ServerMessage,
} from '../message/v08/messages.ts'
import { dataMessages } from '../message/v08/data-messages.ts'
import type { DataMap } from '../data/data-value.ts'
import type { SurfaceState } from './surface.ts'

type Limits = Readonly<SurfaceLimits>

/** Context for creating a state's messages. */
interface StateSource {
  /** The data of the state; keys of a map keep their order. */
  readonly data: DataMap
  /** True if components write to the data when they arrive. */
  readonly initialises: boolean
  readonly limits: Limits
}

/**
 * The messages that recreate a state: components, data, beginRendering, and only those needed. A
 * kind occurs more than once only to stay within a limit.
 */
export function stateMessages(
  state: SurfaceState,
  { data, initialises, limits }: StateSource,
): ServerMessage[] {
  const { surfaceId, components, root } = state
  const messages = componentMessages(surfaceId, components, limits)
  const isEmpty = components.length === 0 && root === null
  // A component that initialises data would otherwise restore values replaced since.
  if (data.size > 0 || initialises || isEmpty) {
    append(messages, dataMessages(surfaceId, data, limits.dataDepth))
  }
  if (root !== null) messages.push(beginMessage(state, root))
  return messages
}

/** Splits components into messages within the limit. */
export function componentMessages(
  surfaceId: string,
  components: readonly ComponentInstance[],
  { componentsPerMessage }: Limits,
): ServerMessage[] {
  const messages: ServerMessage[] = []
  for (let start = 0; start < components.length; start += componentsPerMessage) {
    messages.push(surfaceUpdate(surfaceId, components.slice(start, start + componentsPerMessage)))
  }
  return messages
}

/** The message that renders a state; omits the standard catalog and missing styles. */
export function beginMessage(
  { surfaceId, catalogId, styles }: SurfaceState,
  root: string,
): ServerMessage {
  return beginRendering({
    surfaceId,
    root,
    ...(catalogId === null || catalogId === STANDARD_CATALOG_ID ? {} : { catalogId }),
    ...(Object.keys(styles).length === 0 ? {} : { styles }),
  })
}
