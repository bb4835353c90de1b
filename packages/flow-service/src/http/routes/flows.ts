import { z } from 'zod'
import { fileStamp, zipFlows } from '../../services/flows/flow-archive.ts'
import { refuse } from '../../refusal.ts'
import {
  flowHeaderToText,
  flowToText,
  listOfTexts,
  listParts,
  pageAround,
  type ShownFlow,
} from '../../services/flows/flow-text.ts'
import {
  flowChangesFromWire,
  FlowCreate,
  flowFromWire,
  FlowHeader,
  FlowListCreate,
  FlowPage,
  FlowRead,
  FlowUpdate,
  screenEndpointName,
  screenEndpointNames,
} from '../../wire/flow.ts'
import { FlowProblems, flowProblemsToWire } from '../../wire/flow-problems.ts'
import { bool, IdParams, int, orNull, uuid } from '../../wire/scalars.ts'
import { readFlowFile } from '../request/uploaded-flows.ts'
import { FLOW_FILE_BODY, MEDIUM_BODY } from '../route/body-limit.ts'
import { newSharingFacts, sharingFacts } from '../route/audit-rule.ts'
import { JsonParts, JsonText, route, type Route } from '../route/route.ts'
import { flowAnswer } from '../response/flow-answer.ts'
import { zipAnswer } from '../response/zip-answer.ts'

const ListQuery = z.object({
  remove_example_flows: bool().default(false),
  components_only: bool().default(false),
  get_all: bool().default(true),
  folder_id: orNull(uuid()),
  header_flows: bool().default(false),
  page: int({ ge: 1 }).default(1),
  size: int({ ge: 1, le: 100 }).default(50),
})

const flowIdParams = IdParams('flow_id')

export const flowRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/flows/',
      summary: 'Create Flow',
      auth: 'user',
      status: 201,
      body: FlowCreate,
      audit: { action: 'flow.sharing_changed', target: 'flow', facts: newSharingFacts },
      screen: screenEndpointName,
      output: FlowRead,
    },
    async ({ services, caller, body, notes }) => {
      const flows = await services.flows.create(caller, [flowFromWire(body)])
      if (flows[0] !== undefined) notes.targetId = flows[0].id
      return new JsonText(flows.map((flow) => flowToText(flow)).join(''))
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/flows/',
      isLong: true,
      summary: 'Read Flows',
      auth: 'user',
      gzip: true,
      query: ListQuery,
      output: z.union([FlowRead.array(), FlowPage, FlowHeader.array()]),
    },
    async ({ services, caller, query }) => {
      const { components_only: componentsOnly, folder_id: folderId, page, size } = query
      if (!query.get_all) {
        const folder = folderId === null ? {} : { folderId }
        const found = await services.flows.page(caller, { ...folder, componentsOnly, page, size })
        const around = pageAround({ total: found.total, page, size })
        return new JsonParts(listParts(found.items, (flow) => flowToText(flow), around))
      }
      const header = query.header_flows
      const data = header ? 'components' : 'all'
      const own = services.flows.list(caller, { componentsOnly, data })
      const examples =
        services.status.settings.autoLogin && !query.remove_example_flows && !componentsOnly
          ? services.examples.list()
          : []
      const write = header ? flowHeaderToText : (flow: ShownFlow) => flowToText(flow)
      return new JsonParts(listParts(followedBy<ShownFlow>(own, examples), write))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/flows/',
      summary: 'Delete Multiple Flows',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      body: z.array(uuid()),
      output: z.object({ deleted: z.int() }),
    },
    async ({ services, caller, body }) => ({ deleted: await services.flows.remove(caller, body) }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/flows/{flow_id}',
      isLong: true,
      summary: 'Read Flow',
      auth: 'user',
      params: flowIdParams,
      output: FlowRead,
    },
    async ({ services, caller, params, request }) =>
      flowAnswer(request, await services.flows.get(caller, params.flow_id)),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/flows/{flow_id}/problems',
      summary: 'Read Flow Problems',
      auth: 'user',
      params: flowIdParams,
      output: FlowProblems,
    },
    async ({ services, caller, params }) =>
      flowProblemsToWire(await services.checks.check(caller, params.flow_id)),
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/flows/{flow_id}',
      summary: 'Update Flow',
      auth: 'user',
      params: flowIdParams,
      body: FlowUpdate,
      audit: {
        action: 'flow.sharing_changed',
        target: 'flow',
        idFrom: 'flow_id',
        facts: sharingFacts,
      },
      screen: screenEndpointName,
      output: FlowRead,
    },
    async ({ services, caller, params, body }) =>
      new JsonText(
        flowToText(await services.flows.update(caller, params.flow_id, flowChangesFromWire(body))),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/flows/{flow_id}',
      summary: 'Delete Flow',
      auth: 'user',
      params: flowIdParams,
      output: z.object({ message: z.string() }),
    },
    async ({ services, caller, params }) => {
      const removed = await services.flows.remove(caller, [params.flow_id])
      if (removed === 0) throw refuse(404, 'Flow not found')
      return { message: 'Flow deleted successfully' }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/flows/public_flow/{flow_id}',
      isLong: true,
      summary: 'Read Public Flow',
      auth: 'none',
      params: flowIdParams,
      output: FlowRead,
    },
    async ({ services, params }) =>
      new JsonText(flowToText(await services.flows.getPublic(params.flow_id))),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/flows/batch/',
      summary: 'Create Flows',
      auth: 'user',
      status: 201,
      body: FlowListCreate,
      screen: screenEndpointNames,
      output: FlowRead.array(),
    },
    async ({ services, caller, body }) => {
      const flows = await services.flows.create(caller, body.flows.map(flowFromWire))
      return new JsonParts(listParts([flows], (flow) => flowToText(flow)))
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/flows/upload/',
      summary: 'Upload File',
      auth: 'user',
      status: 201,
      consumes: 'multipart',
      maxBody: FLOW_FILE_BODY,
      query: z.object({ folder_id: orNull(uuid()) }),
      output: FlowRead.array(),
    },
    async ({ services, caller, query, upload }) => {
      const inputs = await readFlowFile((await upload()).bytes)
      const flows = await services.flows.upload(caller, inputs, query.folder_id ?? undefined)
      return new JsonParts(listParts([flows], (flow) => flowToText(flow)))
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/flows/download/',
      summary: 'Download Multiple File',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      produces: 'application/x-zip-compressed',
      body: z.array(uuid()),
    },
    async ({ services, caller, body }) => {
      const { items, total } = await services.flows.pick(caller, body)
      if (total === 0) throw refuse(404, 'No flows found.')
      const exported = services.flows.exported(items)
      if (total === 1) return new JsonParts(texts(exported))
      const now = services.status.now()
      const name = `filename=${fileStamp(now)}_builder_flows.zip`
      return zipAnswer(zipFlows(exported, now, true), name)
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/flows/basic_examples/',
      summary: 'Read Basic Examples',
      auth: 'none',
      gzip: true,
      output: FlowRead.array(),
    },
    ({ services }) =>
      new JsonText(listOfTexts(services.examples.list().map((flow) => flowToText(flow)))),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/starter-projects/',
      summary: 'Get Starter Projects',
      auth: 'user',
      gzip: true,
      output: z.array(
        z.object({
          data: z.looseObject({}),
          is_component: z.boolean().nullable(),
          name: z.string().nullable(),
          description: z.string().nullable(),
          endpoint_name: z.string().nullable(),
        }),
      ),
    },
    ({ services }) => services.examples.dumps(),
  ),
]

/** Parts of a list, and one more. */
async function* followedBy<T>(
  parts: AsyncIterable<readonly T[]>,
  last: readonly T[],
): AsyncGenerator<readonly T[]> {
  yield* parts
  yield last
}

async function* texts(flows: AsyncIterable<ShownFlow>): AsyncGenerator<string> {
  for await (const flow of flows) yield flowToText(flow, { fsPath: true })
}
