import { createDocsPage } from './docs-page.ts'
import { createOpenApi } from './openapi.ts'
import { JsonText, route, type Route } from '../route/route.ts'
import type { RouteGroup } from '../routes/index.ts'

/** Serves the OpenAPI document, generated from the route table and written as text on first use. */
export function createDescriptionRoutes(
  groups: readonly RouteGroup[],
  settings: { readonly publicUrl: string; readonly basePath: string },
): readonly Route[] {
  const { publicUrl, basePath } = settings
  const server = publicUrl === '' ? basePath || '/' : publicUrl
  let document: JsonText | undefined
  return [
    route(
      { method: 'GET', path: '/openapi.json', summary: 'Description', auth: 'none' },
      () =>
        (document ??= new JsonText(JSON.stringify(createOpenApi(groups, { servers: [server] })))),
    ),
    route(
      {
        method: 'GET',
        path: '/docs',
        summary: 'List of operations',
        auth: 'none',
        produces: 'text/html',
      },
      () =>
        new Response(createDocsPage(groups, `${basePath}/openapi.json`), {
          headers: { 'content-type': 'text/html; charset=utf-8' },
        }),
    ),
  ]
}
