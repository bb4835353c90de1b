import { flowToText } from '../../services/flows/flow-text.ts'
import { FlowRead } from '../../wire/flow.ts'
import {
  ActivateQuery,
  FlowVersionCreate,
  FlowVersionDiff,
  FlowVersionList,
  FlowVersionListQuery,
  FlowVersionRead,
  flowVersionToEntry,
  flowVersionToWire,
  FlowVersionWithData,
} from '../../wire/flow-version.ts'
import { IdParams } from '../../wire/scalars.ts'
import { JsonText, route, type Route } from '../route/route.ts'

const BASE = '/api/v1/flows/{flow_id}/versions/'
const flowParams = IdParams('flow_id')
const versionParams = IdParams('flow_id', 'version_id')

const operations: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: BASE,
      summary: 'Create Flow Version',
      auth: 'user',
      status: 201,
      params: flowParams,
      body: FlowVersionCreate,
      output: FlowVersionRead,
    },
    async ({ services, caller, params, body }) =>
      flowVersionToWire(
        await services.versions.create(caller, params.flow_id, {
          description: body?.description ?? null,
        }),
      ),
  ),
  route(
    {
      method: 'GET',
      path: BASE,
      summary: 'List Flow Versions',
      auth: 'user',
      params: flowParams,
      query: FlowVersionListQuery,
      output: FlowVersionList,
    },
    async ({ services, caller, params, query }) => {
      const versions = await services.versions.list(caller, params.flow_id, query)
      const { maxEntries } = services.versions
      return { entries: versions.map(flowVersionToEntry), max_entries: maxEntries }
    },
  ),
  route(
    {
      method: 'GET',
      path: `${BASE}{version_id}`,
      isLong: true,
      summary: 'Read Flow Version',
      auth: 'user',
      params: versionParams,
      output: FlowVersionWithData,
    },
    async ({ services, caller, params }) => {
      const version = await services.versions.get(caller, params.flow_id, params.version_id)
      const head = JSON.stringify(flowVersionToWire(version))
      return new JsonText(`${head.slice(0, -1)},"data":${version.data ?? 'null'}}`)
    },
  ),
  route(
    {
      method: 'POST',
      path: `${BASE}{version_id}/activate`,
      summary: 'Activate Flow Version',
      auth: 'user',
      params: versionParams,
      query: ActivateQuery,
      output: FlowRead,
    },
    async ({ services, caller, params, query }) =>
      new JsonText(
        flowToText(
          await services.versions.activate(caller, params.flow_id, params.version_id, {
            saveDraft: query.save_draft,
          }),
        ),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: `${BASE}{version_id}`,
      summary: 'Delete Flow Version',
      auth: 'user',
      status: 204,
      params: versionParams,
    },
    ({ services, caller, params }) =>
      services.versions.remove(caller, params.flow_id, params.version_id),
  ),
  route(
    {
      method: 'GET',
      path: `${BASE}{version_id}/diff/{other_id}`,
      summary: 'Compare Flow Versions',
      auth: 'user',
      params: IdParams('flow_id', 'version_id', 'other_id'),
      output: FlowVersionDiff,
    },
    ({ services, caller, params }) =>
      services.versions.diff(caller, params.flow_id, [params.version_id, params.other_id]),
  ),
]

/** Versions of flows; every path works with and without a trailing slash, without a redirect. */
export const flowVersionRoutes: readonly Route[] = operations.flatMap((operation) => {
  const { path } = operation
  const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
  return [operation, { ...operation, path: other }]
})
