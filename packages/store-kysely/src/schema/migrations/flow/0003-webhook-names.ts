import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Makes endpoint names of flows with webhooks globally unique. If there are duplicates, the oldest flow keeps the
 * name for callers without an account; the others are called by id, or by name together with `user_id`.
 */
export const webhookNames: Migration = {
  id: '0003-webhook-names',
  statements: (dialect) => STATEMENTS.map((statement) => translateTypes(dialect, statement)),
}

const STATEMENTS: readonly string[] = [
  `alter table flow_flow add column webhook_name TEXT`,
  `update flow_flow set webhook_name = endpoint_name where seq in (
    select min(seq) from flow_flow
    where endpoint_name is not null and (webhook = 1 or data like '%"Webhook%')
    group by endpoint_name)`,
  `create unique index flow_flow__webhook_name on flow_flow (webhook_name)
    where webhook_name is not null`,
]
