import { append } from '@x/wire'
import { equalJson } from '../json.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import {
  deleteSurface,
  type ComponentInstance,
  type ServerMessage,
} from '../message/v08/messages.ts'
import { mapFromJson } from '../data/data-value.ts'
import { beginMessage, componentMessages, stateMessages } from '../store/state-messages.ts'
import type { SurfaceState } from '../store/surface.ts'
import { diffData } from './diff-data.ts'
import { someInitialises } from '../message/v08/initial-bindings.ts'
import { dataAfterInitialising } from './initial-data.ts'
import { makeSelfContained } from './self-contained.ts'

/** Options of `diffSurface`. */
export interface DiffOptions {
  /** Recreates the surface if components were removed, which 0.8 cannot express. Default: false. */
  readonly exact?: boolean
  /** Returns the self-contained form. Default: false. */
  readonly selfContained?: boolean
}

/**
 * The fewest messages that turn `before` into `after`; null means no surface.
 * @throws TypeError if the two are different surfaces
 */
export function diffSurface(
  before: SurfaceState | null,
  after: SurfaceState | null,
  options: DiffOptions = {},
): ServerMessage[] {
  const messages = diff(before, after, options.exact === true)
  return options.selfContained === true ? makeSelfContained(messages, before) : messages
}

function diff(
  before: SurfaceState | null,
  after: SurfaceState | null,
  exact: boolean,
): ServerMessage[] {
  if (after === null) return before === null ? [] : [deleteSurface(before.surfaceId)]
  if (before === null) return build(after)
  if (before.surfaceId !== after.surfaceId)
    throw new TypeError('The descriptions are of two different surfaces')
  const sent = changedComponents(before, after)
  if (mustRebuild(before, after, { sent, exact })) {
    return [deleteSurface(before.surfaceId), ...build(after)]
  }
  const { surfaceId } = after
  const messages = componentMessages(surfaceId, sent, defaultLimits)
  const data = someInitialises(sent) ? dataAfterInitialising(before, sent) : before.data
  append(messages, diffData(surfaceId, data, after.data))
  if (after.root !== null && beginsAnew(before, after))
    messages.push(beginMessage(after, after.root))
  return messages
}

function mustRebuild(
  before: SurfaceState,
  after: SurfaceState,
  { sent, exact }: { sent: readonly ComponentInstance[]; exact: boolean },
): boolean {
  // Rendering cannot be undone, and components are validated against the current catalog.
  if (before.root !== null && after.root === null) return true
  if (before.root !== null && before.catalogId !== after.catalogId && sent.length > 0) return true
  if (!exact) return false
  const kept = new Set(after.components.map(({ id }) => id))
  return before.components.some(({ id }) => !kept.has(id))
}

function changedComponents(earlier: SurfaceState, after: SurfaceState): ComponentInstance[] {
  const known = new Map(earlier.components.map((component) => [component.id, component]))
  return after.components.filter(({ id, weight, component }) => {
    const before = known.get(id)
    return before?.weight !== weight || !equalJson(component, before?.component)
  })
}

function beginsAnew(before: SurfaceState, after: SurfaceState): boolean {
  return (
    before.root !== after.root ||
    before.catalogId !== after.catalogId ||
    !equalJson(before.styles, after.styles)
  )
}

function build(after: SurfaceState): ServerMessage[] {
  const initialises = someInitialises(after.components)
  const data = mapFromJson(after.data)
  return stateMessages(after, { data, initialises, limits: defaultLimits })
}
