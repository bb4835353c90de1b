import { z } from 'zod'
import { fileStamp, zipFlows } from '../../services/flows/flow-archive.ts'
import { refuse } from '../../refusal.ts'
import { flowToText, listParts, pageAround } from '../../services/flows/flow-text.ts'
import { FlowRead } from '../../wire/flow.ts'
import {
  projectChangesFromWire,
  ProjectCreate,
  projectFromWire,
  ProjectPage,
  ProjectQuery,
  ProjectRead,
  projectToWire,
  ProjectUpdate,
  ProjectWithFlows,
} from '../../wire/project.ts'
import { IdParams } from '../../wire/scalars.ts'
import { readProjectFile } from '../request/uploaded-flows.ts'
import { FLOW_FILE_BODY, MEDIUM_BODY } from '../route/body-limit.ts'
import { JsonParts, route, type Route } from '../route/route.ts'
import { extendedName, zipAnswer } from '../response/zip-answer.ts'

const DEFAULT_SIZE = 50
const projectIdParams = IdParams('project_id')

export const projectRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/projects/',
      summary: 'Read Projects',
      auth: 'user',
      output: ProjectRead.array(),
    },
    ({ services, caller }) =>
      new JsonParts(
        listParts(services.projects.list(caller), (project) =>
          JSON.stringify(projectToWire(project)),
        ),
      ),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/projects/',
      summary: 'Create Project',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      status: 201,
      body: ProjectCreate,
      output: ProjectRead,
    },
    async ({ services, caller, body }) =>
      projectToWire(await services.projects.create(caller, projectFromWire(body))),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/projects/{project_id}',
      isLong: true,
      summary: 'Read Project',
      auth: 'user',
      params: projectIdParams,
      query: ProjectQuery,
      output: z.union([ProjectWithFlows, ProjectPage]),
    },
    async ({ services, caller, params, query }) => {
      const id = params.project_id
      const head = JSON.stringify(projectToWire(await services.projects.get(caller, id)))
      if (query.page === null || query.size === null) {
        const { items } = await services.projects.flows(caller, id)
        const around: [string, string] = [`${head.slice(0, -1)},"flows":`, '}']
        return new JsonParts(listParts(items, (flow) => flowToText(flow), around))
      }
      const [page, size] = [query.page || 1, query.size || DEFAULT_SIZE]
      const { search, is_component: isComponent, is_flow: isFlow } = query
      const wanted = { page, size, search, isComponent, isFlow }
      const { items, total } = await services.projects.page(caller, id, wanted)
      const [before, after] = pageAround({ total, page, size })
      const around: [string, string] = [`{"folder":${head},"flows":${before}`, `${after}}`]
      return new JsonParts(listParts(items, (flow) => flowToText(flow, { fsPath: true }), around))
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/projects/{project_id}',
      summary: 'Update Project',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      params: projectIdParams,
      body: ProjectUpdate,
      output: ProjectRead,
    },
    async ({ services, caller, params, body }) =>
      projectToWire(
        await services.projects.update(caller, params.project_id, projectChangesFromWire(body)),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/projects/{project_id}',
      summary: 'Delete Project',
      auth: 'user',
      status: 204,
      params: projectIdParams,
    },
    ({ services, caller, params }) => services.projects.remove(caller, params.project_id),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/projects/download/{project_id}',
      summary: 'Download File',
      auth: 'user',
      produces: 'application/x-zip-compressed',
      params: projectIdParams,
    },
    async ({ services, caller, params }) => {
      const project = await services.projects.get(caller, params.project_id)
      const { items, total } = await services.projects.flows(caller, params.project_id)
      if (total === 0) throw refuse(404, 'No flows found in project')
      const now = services.status.now()
      const name = extendedName(`${fileStamp(now)}_${project.name}_flows.zip`)
      return zipAnswer(
        zipFlows(services.flows.exported(items), now, false),
        `filename*=UTF-8''${name}`,
      )
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/projects/upload/',
      summary: 'Upload File',
      auth: 'user',
      status: 201,
      consumes: 'multipart',
      maxBody: FLOW_FILE_BODY,
      output: FlowRead.array(),
    },
    async ({ services, caller, upload }) => {
      const { bytes, name } = await upload()
      const file = await readProjectFile(bytes, name)
      const flows = await services.projects.upload(caller, file)
      return new JsonParts(listParts([flows], (flow) => flowToText(flow)))
    },
  ),
]
