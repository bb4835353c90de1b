import { json } from '@x/wire'
import { z } from 'zod'
import { refuse } from '../../refusal.ts'
import { SERVICE_VERSION } from '../../services/base/status.ts'
import { Config, configToWire, GuestConfig, guestConfigToWire } from '../../wire/config.ts'
import { anonymous } from '../route/anonymous.ts'
import { route, type Route } from '../route/route.ts'

export const baseRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/health',
      summary: 'Health',
      auth: 'none',
      output: z.object({ status: z.string() }),
    },
    () => ({ status: 'ok' }),
  ),
  route(
    {
      method: 'GET',
      path: '/health/ready',
      summary: 'Readiness',
      auth: 'none',
      output: z.object({ status: z.string() }),
    },
    async ({ services, request }) => {
      const failed = await services.status.failing()
      if (failed === undefined) return { status: 'ready' }
      const headers = { 'retry-after': '5' }
      return json(request, { status: 'not ready', failed }, { status: 503, headers })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/health_check',
      summary: 'Health Check',
      auth: 'none',
      output: z.object({ status: z.string(), chat: z.string(), db: z.string() }),
    },
    async ({ services, request }) => {
      if (await services.status.storeAnswers()) return { status: 'ok', chat: 'ok', db: 'ok' }
      const failed = 'error check the server logs'
      const detail = { status: 'nok', chat: failed, db: failed }
      return json(request, { detail }, { status: 500 })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/version',
      summary: 'Get Version',
      auth: 'none',
      output: z.object({ version: z.string(), main_version: z.string(), package: z.string() }),
    },
    () => ({ version: SERVICE_VERSION, main_version: SERVICE_VERSION, package: 'Flow Engine' }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/config',
      summary: 'Get Config',
      auth: 'guest',
      output: z.union([Config, GuestConfig]),
    },
    ({ services, caller }) => {
      const { settings } = services.status
      return caller === anonymous ? guestConfigToWire(settings) : configToWire(settings)
    },
  ),
  ...['/logs', '/logs-stream'].map((path) =>
    route(
      { method: 'GET', path, summary: path === '/logs' ? 'Logs' : 'Stream Logs', auth: 'user' },
      () => {
        throw refuse(501, 'Log retrieval is disabled')
      },
    ),
  ),
]
