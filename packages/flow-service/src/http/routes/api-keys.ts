import { json } from '@x/wire'
import { z } from 'zod'
import {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  apiKeyToWire,
  createdKeyToWire,
  StoreKey,
} from '../../wire/api-key.ts'
import { listParts } from '../../services/flows/flow-text.ts'
import type { ApiKeyRecord } from '../../store/api-keys.ts'
import { IdParams } from '../../wire/scalars.ts'
import { MEDIUM_BODY, SMALL_BODY } from '../route/body-limit.ts'
import { JsonParts, route, type Route } from '../route/route.ts'
import { storeKeyCookie } from '../access/session-cookies.ts'

const Detail = z.object({ detail: z.string() })

export const apiKeyRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/api_key/',
      summary: 'Get Api Keys Route',
      auth: 'user',
      output: ApiKeyList,
    },
    async ({ services, caller }) => {
      const { items, total } = await services.apiKeys.list(caller)
      const head = JSON.stringify({ total_count: total, user_id: caller.id }).slice(0, -1)
      const write = (key: ApiKeyRecord): string => JSON.stringify(apiKeyToWire(key))
      return new JsonParts(listParts(items, write, [`${head},"api_keys":`, '}']))
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/api_key/',
      summary: 'Create Api Key Route',
      auth: 'user',
      maxBody: MEDIUM_BODY,
      body: ApiKeyCreate,
      audit: { action: 'api_key.created', target: 'api_key' },
      output: ApiKeyCreated,
    },
    async ({ services, caller, body }) => {
      const input = { name: body.name, createdAt: body.created_at, agentId: body.agent_id }
      const { record, key } = await services.apiKeys.create(caller, input)
      return createdKeyToWire(record, key)
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/api_key/{api_key_id}',
      summary: 'Delete Api Key Route',
      audit: { action: 'api_key.revoked', target: 'api_key', idFrom: 'api_key_id' },
      auth: 'user',
      params: IdParams('api_key_id'),
      output: Detail,
    },
    async ({ services, caller, params }) => {
      await services.apiKeys.remove(caller, params.api_key_id)
      return { detail: 'API Key deleted' }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/api_key/store',
      summary: 'Save Store Api Key',
      auth: 'user',
      maxBody: SMALL_BODY,
      body: StoreKey,
      output: Detail,
    },
    async ({ services, caller, body, request }) => {
      const sealed = await services.apiKeys.saveStoreKey(caller, body.api_key)
      const headers = { 'set-cookie': storeKeyCookie(services.status.settings, sealed) }
      return json(request, { detail: 'API Key saved' }, { headers })
    },
  ),
]
