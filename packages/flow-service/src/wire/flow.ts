import { z } from 'zod'
import { isObject } from '@x/wire'
import { refuse } from '../refusal.ts'
import type { FlowChanges, FlowInput } from '../services/flows/flow-input.ts'
import { findEmoji } from './emoji.ts'
import { valueProblem, reader } from './reader.ts'
import {
  bool,
  dateTime,
  descriptionText,
  maybe,
  MAX_NAME,
  nameText,
  oneOf,
  orNull,
  uuid,
} from './scalars.ts'

const ENDPOINT = /^[a-zA-Z0-9_-]+$/
const ACCESS = ['PRIVATE', 'PUBLIC'] as const

function valueError(msg: string) {
  return valueProblem('value_error', `Value error, ${msg}`, { error: {} })
}

/** A graph: an empty object, or one with nodes and edges. */
function graph() {
  return reader<Record<string, unknown>>({ type: 'object' }, (value) => {
    if (!isObject(value)) return valueProblem('dict_type', 'Input should be a valid dictionary')
    if (Object.keys(value).length === 0) return value
    if (!Object.hasOwn(value, 'nodes')) return valueError('Flow must have nodes')
    if (!Object.hasOwn(value, 'edges')) return valueError('Flow must have edges')
    const wrong = ['nodes', 'edges'].find((name) => !Array.isArray(value[name]))
    if (wrong !== undefined) return valueError(`Flow must have a list of ${wrong}`)
    return value
  })
}

/** A string, or an emoji short name between colons. */
function icon() {
  return reader<string>({ type: 'string' }, (value) => {
    if (typeof value !== 'string')
      return valueProblem('string_type', 'Input should be a valid string')
    if (value.length > MAX_NAME) return valueError(`Icon must have at most ${MAX_NAME} characters`)
    if (!value.startsWith(':') && !value.endsWith(':')) return value
    if (!(value.startsWith(':') && value.endsWith(':') && value.length > 1)) {
      return valueError(`Invalid emoji. ${value} is not a valid emoji.`)
    }
    const emoji = findEmoji(value.slice(1, -1))
    if (emoji !== undefined) return emoji
    return valueError(
      value === value.toLowerCase()
        ? 'Icon must contain only letters and hyphens'
        : 'Icon must be lowercase',
    )
  })
}

function color() {
  return reader<string>({ type: 'string' }, (value) => {
    if (typeof value !== 'string')
      return valueProblem('string_type', 'Input should be a valid string')
    if (value !== '' && !value.startsWith('#')) {
      return valueError('Icon background color must start with #')
    }
    if (value !== '' && value.length !== 7) {
      return valueError('Icon background color must be 7 characters long')
    }
    return value
  })
}

/** A date-time that is validated but not used; errors are those of a field validator. */
function unusedTime() {
  return reader<null>({ type: 'string', format: 'date-time' }, (value) => {
    const read = typeof value === 'string' ? dateTime().safeParse(value) : undefined
    return read?.success === true ? null : valueError('Invalid ISO datetime format')
  })
}

/** Null counts as false. */
function flag() {
  return bool()
    .nullable()
    .default(false)
    .transform((value) => value ?? false)
}

/** The create payload of a flow. */
export const FlowCreate = z
  .object({
    name: nameText(),
    description: orNull(descriptionText()),
    icon: orNull(icon()),
    icon_bg_color: orNull(color()),
    gradient: orNull(nameText()),
    data: orNull(graph()),
    is_component: flag(),
    updated_at: orNull(unusedTime()),
    webhook: flag(),
    endpoint_name: orNull(nameText({ pattern: ENDPOINT })),
    tags: orNull(z.array(nameText()).max(1000)),
    locked: flag(),
    mcp_enabled: flag(),
    action_name: orNull(nameText()),
    action_description: orNull(descriptionText()),
    access_type: oneOf(ACCESS).default('PRIVATE'),
    user_id: orNull(uuid()),
    folder_id: orNull(uuid()),
    fs_path: orNull(nameText()),
  })
  .meta({ id: 'FlowCreate' })

/** Several create payloads. */
export const FlowListCreate = z
  .object({ flows: z.array(FlowCreate) })
  .meta({ id: 'FlowListCreate' })

/** The update payload of a flow; null changes nothing, but clears `endpoint_name`. */
export const FlowUpdate = z
  .object({
    name: maybe(nameText()),
    description: maybe(descriptionText()),
    data: maybe(graph()),
    folder_id: maybe(uuid()),
    endpoint_name: maybe(nameText({ pattern: ENDPOINT })),
    mcp_enabled: maybe(bool()),
    locked: maybe(bool()),
    action_name: maybe(nameText()),
    action_description: maybe(descriptionText()),
    access_type: maybe(oneOf(ACCESS)),
    fs_path: maybe(nameText()),
  })
  .meta({ id: 'FlowUpdate' })

/** A flow as returned by the service. */
export const FlowRead = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    icon_bg_color: z.string().nullable(),
    gradient: z.string().nullable(),
    data: z.looseObject({}).nullable(),
    is_component: z.boolean(),
    updated_at: z.string().meta({ format: 'date-time' }),
    webhook: z.boolean(),
    endpoint_name: z.string().nullable(),
    tags: z.array(z.string()).nullable(),
    locked: z.boolean(),
    mcp_enabled: z.boolean(),
    action_name: z.string().nullable(),
    action_description: z.string().nullable(),
    access_type: z.enum(ACCESS),
    id: z.string().meta({ format: 'uuid' }),
    user_id: z.string().meta({ format: 'uuid' }).nullable(),
    folder_id: z.string().meta({ format: 'uuid' }).nullable(),
    fs_path: z.string().nullable().optional(),
  })
  .meta({ id: 'Flow' })

/** A flow without the fields that lists omit. */
export const FlowHeader = FlowRead.pick({
  id: true,
  name: true,
  folder_id: true,
  is_component: true,
  endpoint_name: true,
  description: true,
  data: true,
  access_type: true,
  tags: true,
  mcp_enabled: true,
  action_name: true,
  action_description: true,
}).meta({ id: 'FlowHeader' })

/** A page of flows. */
export const FlowPage = z
  .object({
    items: z.array(FlowRead),
    total: z.int(),
    page: z.int(),
    size: z.int(),
    pages: z.int(),
  })
  .meta({ id: 'FlowPage' })

/** Converts a create payload to the service's form. */
export function flowFromWire(wire: z.output<typeof FlowCreate>): FlowInput {
  return {
    name: wire.name,
    description: wire.description,
    icon: wire.icon,
    iconBgColor: wire.icon_bg_color,
    gradient: wire.gradient,
    data: wire.data === null ? null : JSON.stringify(wire.data),
    isComponent: wire.is_component,
    webhook: wire.webhook,
    endpointName: wire.endpoint_name,
    tags: wire.tags,
    locked: wire.locked,
    mcpEnabled: wire.mcp_enabled,
    actionName: wire.action_name,
    actionDescription: wire.action_description,
    accessType: wire.access_type,
    folderId: wire.folder_id,
    fsPath: wire.fs_path,
  }
}

/** Converts an update payload to the service's form. */
export function flowChangesFromWire(wire: z.output<typeof FlowUpdate>): FlowChanges {
  return {
    name: wire.name ?? undefined,
    description: wire.description ?? undefined,
    data: isObject(wire.data) ? JSON.stringify(wire.data) : undefined,
    folderId: wire.folder_id ?? undefined,
    endpointName: wire.endpoint_name,
    mcpEnabled: wire.mcp_enabled ?? undefined,
    locked: wire.locked ?? undefined,
    actionName: wire.action_name ?? undefined,
    actionDescription: wire.action_description ?? undefined,
    accessType: wire.access_type ?? undefined,
    fsPath: wire.fs_path ?? undefined,
  }
}

/**
 * Rejects a malformed endpoint name before all other validation, with a plain string as `detail`.
 * @throws Refusal 422
 */
export function screenEndpointName(body: unknown): void {
  const name = isObject(body) && Object.hasOwn(body, 'endpoint_name') ? body['endpoint_name'] : null
  if (typeof name === 'string' && !ENDPOINT.test(name)) {
    throw refuse(422, 'Endpoint name must contain only letters, numbers, hyphens, and underscores')
  }
}

/** The same for each flow of a list. */
export function screenEndpointNames(body: unknown): void {
  const flows = isObject(body) && Array.isArray(body['flows']) ? body['flows'] : []
  for (const flow of flows) screenEndpointName(flow)
}
