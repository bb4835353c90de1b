import { checkOptions, type OptionNames } from '../catalog/check-options.ts'
import { DataModel } from '../data/data-model.ts'
import { overlaps, readDataPath } from '../data/data-path.ts'
import { fromJson, mapFromJson, mapToJson } from '../data/data-value.ts'
import { pathLocation } from '../functions/evaluate.ts'
import { plainSyntax } from '../functions/value-syntax.ts'
import { toActivityEvent } from '../interop/activity-event.ts'
import { isPlainObject, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import { eventOf } from '../store/action-v09.ts'
import { stateOfStore, type AnySurfaceStore } from '../store/store.ts'
import type { Submission } from '../store/submission.ts'
import { ensureTree } from '../store/surface.ts'

/** Options of a carrier of surfaces. */
export interface AgUiSurfacesOptions {
  /** Has the surfaces, of version 0.9.1; messages are applied to it before they are carried. */
  readonly store: AnySurfaceStore
  /** The id under which clients know the catalog: its own, or an alias. Default: as the surface names it. */
  readonly catalogId?: string
  /** Operations of an activity after which the state is sent anew. Default: 100. */
  readonly compactAfter?: number
}

/** Carries the surfaces of a store to AG-UI clients, in one activity for each surface. */
export interface AgUiSurfaces {
  /**
   * The events that bring clients up to date after messages: for each surface its present state, or, in further calls
   * of one run, what was added.
   */
  events(messages: readonly object[], options?: { readonly runId?: string }): JsonObject[]
  /**
   * Notes what a user sent, the result of `validateSubmission`: until the server writes these paths, clients get the
   * user's values. The store is not changed.
   */
  received(submission: Pick<Submission, 'message'>): void
  /** The present state of all surfaces. */
  snapshotEvents(): JsonObject[]
}

const optionNames: OptionNames<AgUiSurfacesOptions> = {
  store: true,
  catalogId: true,
  compactAfter: true,
}

/** What clients have of a surface. */
interface Card {
  runId: string | undefined
  operations: number
  /** The user's values by location. */
  readonly typed: Map<string, { readonly segments: readonly string[]; readonly value: JsonValue }>
}

/** Maximum number of values of a user that are kept for a surface. */
const MAX_TYPED = 1000

/** Creates a carrier. @throws TypeError for invalid options */
export function createAgUiSurfaces(options: AgUiSurfacesOptions): AgUiSurfaces {
  checkOptions('createAgUiSurfaces', options, optionNames)
  const { store, catalogId, compactAfter = 100 } = options
  const { settings, surfaces } = stateOfStore(store)
  if (settings.dialect.family !== '0.9') throw new TypeError('A store of version 0.9.1 is expected')
  if (!Number.isSafeInteger(compactAfter) || compactAfter < 1) {
    throw new TypeError('compactAfter must be an integer of at least 1')
  }
  if (catalogId !== undefined && settings.findCatalog(catalogId).core === null) {
    throw new TypeError('catalogId must be the id of a catalog of the store, or an alias')
  }
  const cards = new Map<string, Card>()

  const cardOf = (surfaceId: string): Card => {
    const card = cards.get(surfaceId) ?? { runId: undefined, operations: 0, typed: new Map() }
    cards.set(surfaceId, card)
    return card
  }

  const named = (message: JsonObject): JsonObject => {
    const { createSurface } = message
    if (catalogId === undefined || !isPlainObject(createSurface)) return message
    const own = createSurface.catalogId
    const isSame =
      typeof own === 'string' && settings.canonicalId(own) === settings.canonicalId(catalogId)
    if (!isSame) return message
    return { ...message, createSurface: { ...createSurface, catalogId } }
  }

  const messageId = (surfaceId: string): string => `a2ui:${surfaceId}`

  const snapshot = (surfaceId: string, runId: string | undefined): JsonObject => {
    const card = cardOf(surfaceId)
    const state = store.snapshot(surfaceId) as JsonObject[]
    const operations = withTyped(surfaceId, state, card).map(named)
    card.runId = runId
    card.operations = operations.length
    return toActivityEvent(operations, { messageId: messageId(surfaceId) })
  }

  const deletion = (surfaceId: string): JsonObject => {
    cards.delete(surfaceId)
    const message = { version: `v${settings.dialect.version}`, deleteSurface: { surfaceId } }
    return toActivityEvent([message], { messageId: messageId(surfaceId) })
  }

  const eventFor = (
    surfaceId: string,
    list: readonly JsonObject[],
    runId: string | undefined,
  ): JsonObject => {
    if (!surfaces.has(surfaceId)) return deletion(surfaceId)
    const card = cardOf(surfaceId)
    forgetWritten(card, list)
    const isNew = list.some((one) => 'createSurface' in one || 'deleteSurface' in one)
    if (isNew) card.typed.clear()
    const isFurther = runId !== undefined && card.runId === runId && !isNew
    if (!isFurther || card.operations + list.length > compactAfter) {
      return snapshot(surfaceId, runId)
    }
    card.operations += list.length
    return toActivityEvent(list, { messageId: messageId(surfaceId), append: true })
  }

  return {
    events(messages, { runId } = {}) {
      const bySurface = new Map<string, JsonObject[]>()
      for (const message of messages as readonly JsonObject[]) {
        const surfaceId = surfaceOf(message)
        if (surfaceId === undefined) continue
        const list = bySurface.get(surfaceId)
        if (list === undefined) bySurface.set(surfaceId, [message])
        else list.push(message)
      }
      return [...bySurface].map(([surfaceId, list]) => eventFor(surfaceId, list, runId))
    },
    received({ message }) {
      if (message === null || !('action' in message)) return
      const { surfaceId, sourceComponentId, context } = message.action
      const surface = surfaces.get(surfaceId)
      const tree = surface === undefined ? null : ensureTree(surface, settings)
      const node =
        tree?.find(sourceComponentId) ??
        tree?.instances().find(({ componentId }) => componentId === sourceComponentId)
      const event = eventOf(node?.definition ?? null, plainSyntax)
      if (node === undefined || event === null) return
      const card = cardOf(surfaceId)
      card.runId = undefined
      for (const [key, source] of Object.entries(event.context)) {
        const path = plainSyntax.pathOf(source)
        const parsed = path === undefined ? null : readDataPath(path)
        if (parsed === null || card.typed.size >= MAX_TYPED) continue
        const segments = pathLocation(parsed, node.scope.segments)
        if (segments.length === 0) continue
        const value = ownValue(context, key) as JsonValue | undefined
        card.typed.set(JSON.stringify(segments), { segments, value: value ?? null })
      }
    },
    snapshotEvents: () => store.surfaceIds().map((surfaceId) => snapshot(surfaceId, undefined)),
  }

  function withTyped(surfaceId: string, state: readonly JsonObject[], card: Card): JsonObject[] {
    if (card.typed.size === 0) return [...state]
    const model = new DataModel()
    model.replace(mapFromJson(store.getData(surfaceId) as JsonObject))
    for (const { segments, value } of card.typed.values()) {
      model.place(segments, fromJson(value), settings.limits.arrayIndex)
    }
    const [created, ...rest] = state
    const value = mapToJson(model.root)
    const data = {
      version: `v${settings.dialect.version}`,
      updateDataModel: { surfaceId, path: '/', value },
    }
    const others = rest.filter((message) => !('updateDataModel' in message))
    return [...(created === undefined ? [] : [created]), data, ...others]
  }
}

function surfaceOf(message: JsonObject): string | undefined {
  for (const payload of Object.values(message)) {
    if (isPlainObject(payload) && typeof payload.surfaceId === 'string') return payload.surfaceId
  }
  return undefined
}

/** Forgets the user's values at paths that the server has written, or above or below them. */
function forgetWritten({ typed }: Card, messages: readonly JsonObject[]): void {
  for (const { updateDataModel: update } of messages) {
    if (!isPlainObject(update)) continue
    const written =
      readDataPath(typeof update.path === 'string' ? update.path : '/')?.segments ?? []
    for (const [key, { segments }] of typed) {
      if (overlaps(segments, written)) typed.delete(key)
    }
  }
}
