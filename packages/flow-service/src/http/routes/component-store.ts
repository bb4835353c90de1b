import { z } from 'zod'
import { readUuid } from '@x/wire'
import { listParts } from '../../services/flows/flow-text.ts'
import type { SharedComponentView } from '../../store/shared-components.ts'
import { bool, IdParams, int, maybe, text } from '../../wire/scalars.ts'
import {
  ComponentDownload,
  ComponentId,
  ComponentList,
  ComponentShare,
  componentToWire,
  downloadToText,
  payloadFromWire,
  readFields,
  readSort,
  TagList,
} from '../../wire/shared-component.ts'
import { JsonParts, JsonText, route, type GuardCall, type Route } from '../route/route.ts'

const ListQuery = z.object({
  component_id: maybe(text()),
  search: maybe(text()),
  private: maybe(bool()),
  is_component: maybe(bool()),
  tags: maybe(z.array(text())),
  sort: maybe(z.array(text())),
  liked: bool().default(false),
  filter_by_user: bool().default(false),
  fields: maybe(z.array(text())),
  page: int({ ge: 1 }).default(1),
  limit: int({ ge: -1 }).default(10),
})

const componentIdParams = IdParams('component_id')

/** The key is checked before path and body are validated. */
async function needsKey({ services, caller }: GuardCall): Promise<void> {
  await services.componentStore.open(caller)
}

function needsStore({ services }: GuardCall): void {
  services.componentStore.checkEnabled()
}

export const componentStoreRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/store/check/',
      summary: 'Check If Store Is Enabled',
      auth: 'none',
      output: z.object({ enabled: z.boolean() }),
    },
    ({ services }) => ({ enabled: services.componentStore.enabled }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/store/check/api_key',
      summary: 'Check If Store Has Api Key',
      auth: 'user',
      output: z.object({ has_api_key: z.boolean(), is_valid: z.boolean() }),
    },
    async ({ services, caller }) => {
      const { hasKey, isValid } = await services.componentStore.check(caller)
      return { has_api_key: hasKey, is_valid: isValid }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/store/components/',
      summary: 'Share Component',
      auth: 'user',
      status: 201,
      guard: needsKey,
      body: ComponentShare,
      output: ComponentId,
    },
    async ({ services, caller, body }) => ({
      id: await services.componentStore.share(caller, payloadFromWire(body)),
    }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/store/components/',
      summary: 'Get Components',
      auth: 'user',
      guard: needsStore,
      query: ListQuery,
      output: ComponentList,
    },
    async ({ services, caller, query }) => {
      const wanted = idOf(query.component_id ?? '', query.search ?? '')
      const { search, id, none } = wanted
      const fields = readFields(filled(query.fields))
      const { items, total, authorized } = await services.componentStore.list(caller, {
        scope: query.filter_by_user ? 'own' : 'public',
        liked: query.liked,
        sort: readSort(filled(query.sort)),
        tags: filled(query.tags),
        offset: query.limit === -1 ? 0 : (query.page - 1) * query.limit,
        limit: query.limit === -1 ? null : query.limit,
        ...(id === undefined ? {} : { id }),
        ...(search === undefined ? {} : { search }),
        ...(typeof query.private === 'boolean' ? { isPrivate: query.private } : {}),
        ...(typeof query.is_component === 'boolean' ? { isComponent: query.is_component } : {}),
      })
      if (none) return { count: 0, authorized, results: [] }
      if (query.limit === -1 && query.page > 1) return { count: total, authorized, results: [] }
      const head = JSON.stringify({ count: total, authorized }).slice(0, -1)
      const around: [string, string] = [`${head},"results":`, '}']
      const write = (view: SharedComponentView): string =>
        JSON.stringify(componentToWire(view, fields, authorized))
      return new JsonParts(listParts(items, write, around))
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/store/components/{component_id}',
      summary: 'Update Shared Component',
      auth: 'user',
      status: 201,
      guard: needsKey,
      params: componentIdParams,
      body: ComponentShare,
      output: ComponentId,
    },
    async ({ services, caller, params, body }) => ({
      id: await services.componentStore.update(caller, params.component_id, payloadFromWire(body)),
    }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/store/components/{component_id}',
      isLong: true,
      summary: 'Download Component',
      auth: 'user',
      guard: needsKey,
      params: componentIdParams,
      output: ComponentDownload,
    },
    async ({ services, caller, params }) =>
      new JsonText(
        downloadToText(await services.componentStore.download(caller, params.component_id)),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/store/tags',
      summary: 'Get Tags',
      auth: 'none',
      output: TagList,
    },
    async ({ services }) => [...(await services.componentStore.tags())],
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/store/users/likes',
      summary: 'Get List Of Components Liked By User',
      auth: 'user',
      guard: needsKey,
      output: z.array(
        z.object({ id: z.string(), likes_count: z.int(), liked_by_user: z.boolean() }),
      ),
    },
    async ({ services, caller }) =>
      (await services.componentStore.likes(caller)).map(({ componentId, likes }) => ({
        id: componentId,
        likes_count: likes,
        liked_by_user: true,
      })),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/store/users/likes/{component_id}',
      summary: 'Like Component',
      auth: 'user',
      guard: needsKey,
      params: componentIdParams,
      output: z.object({ likes_count: z.int(), liked_by_user: z.boolean() }),
    },
    async ({ services, caller, params }) => {
      const id = params.component_id
      const { likes, liked } = await services.componentStore.toggleLike(caller, id)
      return { likes_count: likes, liked_by_user: liked }
    },
  ),
]

/** A search for a UUID matches that id; an invalid id matches nothing. */
function idOf(componentId: string, search: string) {
  const id = readUuid(componentId === '' ? search : componentId)
  const none = componentId !== '' && id === undefined
  const isText = search !== '' && !(componentId === '' && id !== undefined)
  return { none, id, search: isText ? search : undefined }
}

function filled(values: readonly string[] | null | undefined): string[] {
  return (values ?? []).filter((value) => value !== '')
}
