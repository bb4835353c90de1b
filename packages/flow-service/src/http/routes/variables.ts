import { listParts } from '../../services/flows/flow-text.ts'
import { IdParams } from '../../wire/scalars.ts'
import {
  VariableCreate,
  VariableRead,
  variableToWire,
  VariableUpdate,
} from '../../wire/variable.ts'
import { SMALL_BODY } from '../route/body-limit.ts'
import { JsonParts, route, type Route } from '../route/route.ts'

export const variableRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/variables/',
      summary: 'Read Variables',
      auth: 'user',
      output: VariableRead.array(),
    },
    ({ services, caller }) =>
      new JsonParts(
        listParts(services.variables.list(caller), (view) => JSON.stringify(variableToWire(view))),
      ),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/variables/',
      summary: 'Create Variable',
      auth: 'user',
      maxBody: SMALL_BODY,
      status: 201,
      body: VariableCreate,
      audit: { action: 'variable.written', target: 'variable' },
      output: VariableRead,
    },
    async ({ services, caller, body: { name, value, type, default_fields: defaultFields } }) => {
      const input = { name, value, type, defaultFields }
      return variableToWire(await services.variables.create(caller, input))
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/api/v1/variables/{variable_id}',
      summary: 'Update Variable',
      auth: 'user',
      maxBody: SMALL_BODY,
      params: IdParams('variable_id'),
      body: VariableUpdate,
      audit: { action: 'variable.written', target: 'variable', idFrom: 'variable_id' },
      output: VariableRead,
    },
    async ({ services, caller, params, body }) => {
      const ids = { path: params.variable_id, body: body.id }
      const changes = {
        name: body.name ?? undefined,
        value: body.value ?? undefined,
        defaultFields: body.default_fields,
      }
      return variableToWire(await services.variables.update(caller, ids, changes))
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/variables/{variable_id}',
      summary: 'Delete Variable',
      audit: { action: 'variable.deleted', target: 'variable', idFrom: 'variable_id' },
      auth: 'user',
      status: 204,
      params: IdParams('variable_id'),
    },
    async ({ services, caller, params }) => {
      await services.variables.remove(caller, params.variable_id)
      // The reference sends a content type even though there is no content.
      return new Response(null, { status: 204, headers: { 'content-type': 'application/json' } })
    },
  ),
]
