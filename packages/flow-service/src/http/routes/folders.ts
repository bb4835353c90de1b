import { ProjectQuery } from '../../wire/project.ts'
import { IdParams } from '../../wire/scalars.ts'
import { redirect } from '../response/redirect.ts'
import { route, type Call, type Route, type RouteHead } from '../route/route.ts'

const DEFAULT_SIZE = 50
const folderIdParams = IdParams('folder_id')

/** Former paths of the project operations: each redirects with 307 to the new one. */
export const folderRoutes: readonly Route[] = [
  route(head('GET', '/', 'Read Folders Redirect'), (call) => redirectToProjects(call, '/')),
  route(head('POST', '/', 'Create Folder Redirect'), (call) => redirectToProjects(call, '/')),
  route(
    {
      ...head('GET', '/{folder_id}', 'Read Folder Redirect'),
      params: folderIdParams,
      query: ProjectQuery,
    },
    (call) => {
      const search = new URLSearchParams()
      const { is_component, is_flow, search: part, page, size } = call.query
      if (is_component) search.set('is_component', 'true')
      if (is_flow) search.set('is_flow', 'true')
      if (part !== '') search.set('search', part)
      if (page !== null || size !== null) {
        search.set('page', String(page || 1))
        search.set('size', String(size || DEFAULT_SIZE))
      }
      const query = search.size === 0 ? '' : `?${search.toString()}`
      return redirectToProjects(call, `/${call.params.folder_id}${query}`)
    },
  ),
  route(
    { ...head('PATCH', '/{folder_id}', 'Update Folder Redirect'), params: folderIdParams },
    (call) => redirectToProjects(call, `/${call.params.folder_id}`),
  ),
  route(
    { ...head('DELETE', '/{folder_id}', 'Delete Folder Redirect'), params: folderIdParams },
    (call) => redirectToProjects(call, `/${call.params.folder_id}`),
  ),
  route(
    { ...head('GET', '/download/{folder_id}', 'Download File Redirect'), params: folderIdParams },
    (call) => redirectToProjects(call, `/download/${call.params.folder_id}`),
  ),
  route(head('POST', '/upload/', 'Upload File Redirect'), (call) =>
    redirectToProjects(call, '/upload/'),
  ),
]

function head(method: RouteHead['method'], path: string, summary: string): RouteHead {
  return { method, path: `/api/v1/folders${path}`, summary, auth: 'none', status: 307 }
}

/** Keeps the mount prefix of the service. */
function redirectToProjects(
  { services }: Pick<Call<unknown, unknown, unknown>, 'services'>,
  path: string,
) {
  return redirect(`${services.status.settings.basePath}/api/v1/projects${path}`)
}
