import { createDocsPage } from './http/openapi/docs-page.ts'
import { createOpenApi, type OpenApiOptions } from './http/openapi/openapi.ts'
import { routeGroups } from './http/routes/index.ts'

export type { OpenApiOptions } from './http/openapi/openapi.ts'

/** Returns the OpenAPI 3.1 document of the flow API. */
export function describeFlowApi(options: OpenApiOptions = {}): Record<string, unknown> {
  return createOpenApi(routeGroups, options)
}

/** Returns an HTML page that lists the operations of the flow API. */
export function flowApiDocsPage(openApiUrl = '/openapi.json'): string {
  return createDocsPage(routeGroups, openApiUrl)
}
