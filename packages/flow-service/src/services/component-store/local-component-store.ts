import { refuseTaken } from '../records/retry.ts'
import { isObject, readUuid } from '@x/wire'
import type { ComponentStoreOptions } from '../../options.ts'
import type { SharedComponentPatch, SharedComponentRecord } from '../../store/shared-components.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { ComponentPayload, ComponentStore } from './component-store.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { inParts } from '../records/in-parts.ts'
import { refuse } from '../../refusal.ts'
import { retryTaken } from '../records/retry.ts'
import { SERVICE_VERSION } from '../base/status.ts'
import { withoutSecrets } from '../flows/without-secrets.ts'

/** Kinds of nodes of a component, and characters of their names: every list shows them. */
const MAX_KINDS = 1000
const MAX_KIND_CHARACTERS = 100_000
const NOT_FOUND = 'Component not found'
const TAKEN = 'You already have a component with this name. Please choose a different name.'

/** The component store in the service's own database. */
export function createLocalComponentStore(
  deps: ServiceDependencies,
  options: ComponentStoreOptions = {},
): ComponentStore {
  const { store, runtime, components } = deps
  const ready = once(() => addTags(deps, options.tags ?? []))
  const visible = async (id: string, userId: string): Promise<SharedComponentRecord> => {
    const record = await find(store, id, userId)
    if (record === null) throw refuse(400, NOT_FOUND)
    return record
  }

  return {
    checkKey: async (key, userId) =>
      key !== '' && (await options.checkKey?.(key, userId)) !== false,
    async list(query, { userId }) {
      await ready()
      return await store.components.list({ ...query, viewerId: userId })
    },
    async *parts(given, { userId }) {
      await ready()
      const query = { ...given, viewerId: userId }
      const whole = async () => (await store.components.list(query)).items
      yield* inParts(store.components.parts?.(query), whole)
    },
    create: (payload, { userId }) =>
      refuseTaken('component.name', TAKEN, () => share(deps, { userId, payload })),
    async update(id, payload, { userId }) {
      const record = await visible(id, userId)
      if (record.ownerId !== userId) throw refuse(403, 'Forbidden')
      await refuseTaken('component.name', TAKEN, () => change(deps, { userId, payload }, id))
      return id
    },
    async download(id, { userId }) {
      const record = await visible(id, userId)
      await store.components.addDownload(id)
      if (record.ownerId === userId) return record
      const shown = await withoutSecrets(record.data, components)
      return { ...record, data: shown ?? record.data }
    },
    async tags() {
      await ready()
      return await store.tags.listPublic()
    },
    likes: ({ userId }) => store.likes.list(userId),
    async toggleLike(id, { userId }) {
      await visible(id, userId)
      const liked = await store.transaction(async (tx) =>
        (await tx.likes.remove(userId, id)) ? false : await tx.likes.add(userId, id, runtime.now()),
      )
      return { likes: await store.likes.count(id), liked }
    },
  }
}

/** The component if the user may see it, else null. */
async function find(
  { components }: Pick<FlowStore, 'components'>,
  id: string,
  userId: string,
): Promise<SharedComponentRecord | null> {
  const record = await components.get(id)
  return record === null || (record.isPrivate && record.ownerId !== userId) ? null : record
}

/** The parent named by a payload: null unless its author may see it. */
async function parentOf(
  store: Pick<FlowStore, 'components'>,
  { userId, payload: { parent } }: Write,
): Promise<string | null> {
  return parent == null ? null : ((await find(store, parent, userId))?.id ?? null)
}

/** Counts the nodes of a component by the part of their id before the first `-`. */
export function countNodes(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const nodes = Object.hasOwn(data, 'nodes') ? data['nodes'] : []
  if (!Array.isArray(nodes)) throw noNodes()
  const counts = new Map<string, number>()
  for (const node of nodes) {
    const id: unknown = isObject(node) ? node['id'] : undefined
    if (typeof id !== 'string') throw noNodes()
    const part = id.split('-', 1)[0] ?? ''
    counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  let characters = 0
  for (const part of counts.keys()) characters += part.length
  if (counts.size > MAX_KINDS || characters > MAX_KIND_CHARACTERS) throw tooManyKinds()
  const entries = [...counts].map(([part, count]): [string, unknown] => [part, { count }])
  return Object.fromEntries([...entries, ['total', nodes.length]])
}

function tooManyKinds() {
  const kinds = `${MAX_KINDS.toLocaleString('en')} kinds (ids up to the first hyphen)`
  const characters = `${MAX_KIND_CHARACTERS.toLocaleString('en')} characters`
  return refuse(400, `The field data may have nodes of ${kinds} with ${characters}`)
}

function noNodes() {
  return refuse(400, 'Invalid component data. No nodes found')
}

interface Write {
  readonly userId: string
  readonly payload: ComponentPayload
}

async function share(deps: ServiceDependencies, { userId, payload }: Write): Promise<string> {
  const { store, runtime } = deps
  const now = runtime.now()
  const record: SharedComponentRecord = {
    ...contentOf(payload),
    id: runtime.uuid(),
    ownerId: userId,
    parent: await parentOf(store, { userId, payload }),
    isPrivate: payload.isPrivate ?? true,
    downloads: 0,
    createdAt: now,
    updatedAt: now,
  }
  await deps.userLimits.within(userId, { kind: 'components', added: 1 }, () =>
    retryTaken(['tag.name'], () =>
      store.transaction(async (tx) => {
        const tagIds = await resolveTags(deps, tx, payload.tags ?? [])
        await tx.components.insert(record, tagIds)
      }),
    ),
  )
  return record.id
}

async function change(
  deps: ServiceDependencies,
  { userId, payload }: Write,
  id: string,
): Promise<void> {
  const { store, runtime } = deps
  const { parent, isPrivate, tags } = payload
  await retryTaken(['tag.name'], () =>
    store.transaction(async (tx) => {
      const patch: SharedComponentPatch = {
        ...contentOf(payload),
        updatedAt: runtime.now(),
        ...(parent === undefined ? {} : { parent: await parentOf(tx, { userId, payload }) }),
        ...(isPrivate === undefined ? {} : { isPrivate }),
        ...(tags === null ? {} : { tagIds: await resolveTags(deps, tx, tags) }),
      }
      if (!(await tx.components.update(userId, id, patch))) throw refuse(400, NOT_FOUND)
    }),
  )
}

function contentOf(payload: ComponentPayload) {
  const name = payload.name.trim()
  if (name === '') throw refuse(400, 'The name of a component cannot be empty')
  return {
    name,
    description: payload.description,
    data: JSON.stringify(payload.data),
    metadata: countNodes(payload.data),
    isComponent: payload.isComponent,
    lastTestedVersion: payload.lastTestedVersion || SERVICE_VERSION,
  }
}

/** Resolves ids of existing tags, or names, which create new tags. */
async function resolveTags(
  { runtime }: ServiceDependencies,
  tx: FlowStore,
  tags: readonly string[],
): Promise<string[]> {
  const ids = new Set<string>()
  for (const tag of tags) {
    const id = readUuid(tag)
    if (id !== undefined) {
      if ((await tx.tags.get(id)) === null) throw refuse(400, `Unknown tag: ${tag}`)
      ids.add(id)
      continue
    }
    const name = tag.trim()
    if (name === '') throw refuse(400, 'The name of a tag cannot be empty')
    const known = await tx.tags.findByName(name)
    const record = known ?? { id: runtime.uuid(), name }
    if (known === null) await tx.tags.insert(record)
    ids.add(record.id)
  }
  return [...ids]
}

async function addTags(deps: ServiceDependencies, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await retryTaken(['tag.name'], () =>
    deps.store.transaction((tx) => resolveTags(deps, tx, names).then(() => undefined)),
  )
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () =>
    (done ??= work().catch((error: unknown) => {
      done = undefined
      throw error
    }))
}
