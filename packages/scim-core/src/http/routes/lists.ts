import { pageRequest, type ListRequest } from '../../rules/list-request.ts'
import { listText } from '../list-text.ts'
import { listAll, listType, prepareQuery, type Page } from '../../rules/lists.ts'
import type { ResourceTypeName } from '../../schema/registry.ts'
import type { Call } from '../../rules/call.ts'
import type { Service } from '../../rules/service.ts'
import { reply, type Reply } from '../reply.ts'
import { listByCursor } from './cursor-list.ts'
import { listedTypes } from './listed-types.ts'

/** A list or search over one type, or over all if `type` is null. */
export async function serveList(
  service: Service,
  call: Call,
  { type, request }: { readonly type: ResourceTypeName | null; readonly request: ListRequest },
): Promise<Reply> {
  const { config } = service
  if (service.cursors !== null && request.cursor !== undefined) {
    const { cursors } = service
    return listByCursor(service, call, { type, request, cursor: request.cursor, cursors })
  }
  const { startIndex, offset, limit } = pageRequest(request, config)
  const page = await readPage(service, call, { type, request, offset, limit })
  call.trace.results = page.total
  return reply(200, listText(page, `,"startIndex":${startIndex}`))
}

function readPage(
  service: Service,
  call: Call,
  page: {
    readonly type: ResourceTypeName | null
    readonly request: ListRequest
    readonly offset: number
    readonly limit: number
  },
): Promise<Page> {
  const { type, request, offset, limit } = page
  if (type !== null) {
    const query = prepareQuery(service, call, { type, request, root: false })
    return listType(service, call, { query, offset, limit })
  }
  const prepared = (name: ResourceTypeName): ReturnType<typeof prepareQuery> =>
    prepareQuery(service, call, { type: name, request, root: true })
  return listAll(service, call, {
    queries: listedTypes(service.config).map(prepared),
    offset,
    limit,
    sorted: request.sortBy !== undefined,
    descending: request.descending,
  })
}
