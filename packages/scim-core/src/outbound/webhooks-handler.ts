import {
  adminMethods,
  createAdminHandler,
  type AdminOperations,
  type AdminOptions,
} from '../base/admin-api.ts'
import { readAdminSeconds, readAdminTime } from '../base/admin-body.ts'
import { ScimError } from '../base/errors.ts'
import type { DeliveryState } from '../store/outbox.ts'
import type { OutboxEventName } from './event-names.ts'
import type { WebhookEndpoint, Webhooks } from './webhooks.ts'

export interface WebhooksHandlerOptions extends AdminOptions {
  readonly webhooks: Webhooks
}

/** The admin API of webhook endpoints, for a host's settings page. */
export function createWebhooksHandler({
  webhooks,
  ...options
}: WebhooksHandlerOptions): (request: Request) => Promise<Response> {
  return createAdminHandler(options, webhooks, operationsOf)
}

type Operations = AdminOperations<Webhooks>

const methods = adminMethods<Webhooks>

const ROOT = methods(
  ['GET', async ({ target, tenant }) => [200, { webhooks: await target.endpoints.list(tenant) }]],
  [
    'POST',
    async ({ target, tenant, body }) => {
      const { url, events, description } = await body()
      const { id, secret } = await target.endpoints.create({
        tenant,
        url: readText('url', url),
        ...(events !== undefined && events !== null && { events: readNames(events) }),
        ...(description !== undefined &&
          description !== null && { description: readText('description', description) }),
      })
      return [201, { webhook: await existing(target, tenant, id), secret }]
    },
  ],
)

const ONE = methods(
  ['GET', async ({ target, tenant, id }) => [200, { webhook: await existing(target, tenant, id) }]],
  [
    'PATCH',
    async ({ target, tenant, id, body }) => {
      const { url, events, enabled, description } = await body()
      await existing(target, tenant, id)
      await target.endpoints.update(tenant, id, {
        ...(url !== undefined && { url: readText('url', url) }),
        ...(events !== undefined && { events: events === null ? null : readNames(events) }),
        ...(enabled !== undefined && { enabled: readFlag('enabled', enabled) }),
        ...(description !== undefined && {
          description: description === null ? null : readText('description', description),
        }),
      })
      return [200, { webhook: await existing(target, tenant, id) }]
    },
  ],
  [
    'DELETE',
    async ({ target, tenant, id }) => {
      await existing(target, tenant, id)
      await target.endpoints.remove(tenant, id)
      return [204, null]
    },
  ],
)

const ROTATE = methods([
  'POST',
  async ({ target, tenant, id, body }) => {
    const overlapSeconds = readAdminSeconds('overlapSeconds', (await body())['overlapSeconds'])
    await existing(target, tenant, id)
    const options = overlapSeconds === undefined ? {} : { overlapSeconds }
    return [201, await target.endpoints.rotate(tenant, id, options)]
  },
])

const MAX_PAGE = 1_000

const DELIVERIES = methods([
  'GET',
  async ({ target, tenant, id, query }) => {
    await existing(target, tenant, id)
    const state = query.get('state')
    const after = query.get('after')
    const limit = Number(query.get('limit') ?? 100)
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
      throw new TypeError(`limit must be an integer from 1 to ${MAX_PAGE}`)
    }
    return [
      200,
      await target.deliveries(tenant, {
        endpointId: id,
        limit,
        ...(state !== null && { state: readState(state) }),
        ...(after !== null && { after }),
      }),
    ]
  },
])

const REPLAY = methods([
  'POST',
  async ({ target, tenant, id, body }) => {
    const { failed, eventIds, ...times } = await body()
    await existing(target, tenant, id)
    const from = readAdminTime('from', times['from'])
    const to = readAdminTime('to', times['to'])
    return [
      200,
      await target.replay(tenant, {
        endpointId: id,
        ...(failed !== undefined && readFlag('failed', failed) && { failed: true }),
        ...(eventIds !== undefined && { eventIds: readTexts('eventIds', eventIds) }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      }),
    ]
  },
])

function operationsOf(parts: readonly string[]): Operations | null {
  const [, kind] = parts
  if (parts.length === 0) return ROOT
  if (parts.length === 1) return ONE
  if (parts.length > 2) return null
  if (kind === 'rotate') return ROTATE
  if (kind === 'deliveries') return DELIVERIES
  return kind === 'replay' ? REPLAY : null
}

/** @throws ScimError not_found */
async function existing(
  { endpoints }: Webhooks,
  tenant: string,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await endpoints.get(tenant, id)
  if (endpoint === null) throw new ScimError('not_found', 'The webhook does not exist.')
  return endpoint
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${name} must be a string`)
}

function readFlag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new TypeError(`${name} must be true or false`)
}

function readTexts(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list of strings`)
  return value.map((one: unknown) => readText(name, one))
}

/** Unknown event names are rejected when they are used. */
function readNames(value: unknown): readonly OutboxEventName[] {
  return readTexts('events', value) as readonly OutboxEventName[]
}

const STATES: readonly DeliveryState[] = ['waiting', 'delivered', 'failed']

function readState(text: string): DeliveryState {
  const state = STATES.find((one) => one === text)
  if (state === undefined) throw new TypeError(`state must be one of ${STATES.join(', ')}`)
  return state
}
