import {
  StoreUnavailableError,
  UniqueConflictError,
  type UniqueConstraint,
} from '@x/flow-engine/store'
import { DatabaseError } from '../engine/database-error.ts'
import { asSchemaError, schemaFaultOf } from '../engine/schema-error.ts'
import { initial } from '../schema/migrations/flow/0001-initial.ts'

const isFirstTable = (table: string): boolean =>
  initial.statements('sqlite').some((text) => text.startsWith(`create table ${table} `))

const CONSTRAINTS = new Map<string, UniqueConstraint>([
  ['flow_user.id', 'user.id'],
  ['flow_user.username', 'user.username'],
  ['flow_api_key.id', 'apiKey.id'],
  ['flow_api_key.hash', 'apiKey.hash'],
  ['flow_variable.id', 'variable.id'],
  ['flow_variable.name', 'variable.name'],
  ['flow_project.id', 'project.id'],
  ['flow_project.name', 'project.name'],
  ['flow_flow.id', 'flow.id'],
  ['flow_flow.name', 'flow.name'],
  ['flow_flow.endpoint_name', 'flow.endpointName'],
  ['flow_flow.webhook_name', 'flow.webhookName'],
  ['flow_version.id', 'flowVersion.id'],
  ['flow_version.number', 'flowVersion.number'],
  ['flow_user_file.id', 'userFile.id'],
  ['flow_user_file.name', 'userFile.name'],
  ['flow_user_file.path', 'userFile.path'],
  ['flow_message.id', 'message.id'],
  ['flow_component.id', 'component.id'],
  ['flow_component.name', 'component.name'],
  ['flow_tag.id', 'tag.id'],
  ['flow_tag.name', 'tag.name'],
  ['flow_mcp_server.name', 'mcpServer.name'],
  ['flow_refresh_family.id', 'refreshFamily.id'],
  ['flow_oidc_link.subject', 'oidcLink.subject'],
  ['flow_collection.id', 'collection.id'],
  ['flow_collection.name', 'collection.name'],
  ['flow_job.id', 'job.id'],
  ['flow_job_event.seq', 'event.seq'],
])

/** Maps database errors to the errors of the store interfaces. */
export function toFlowError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  if (error.kind === 'unique') {
    const constraint = CONSTRAINTS.get(error.constraint ?? '')
    return constraint === undefined ? error : new UniqueConflictError(constraint, { cause: error })
  }
  const { kind, message } = error
  const fault = schemaFaultOf(error, 'migrateFlow', isFirstTable)
  if (fault !== undefined)
    return asSchemaError(new StoreUnavailableError({ cause: error, message: fault.message }), fault)
  if (kind === 'other') return error
  const { code } = Object(error.cause) as { readonly code?: unknown }
  const connectionLost = kind === 'unreachable' && !String(code).startsWith('SQLITE_')
  return new StoreUnavailableError({ cause: error, message, connectionLost })
}
