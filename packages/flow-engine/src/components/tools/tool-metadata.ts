import { isObject } from '@x/wire'
import type { ApprovalAction, Tool } from '../../models/chat-model.ts'
import type { NodeOutput, TemplateField } from '../../graph/flow/node-json.ts'
import { sortKeys } from '../define/sort-keys.ts'

/** A row of the editor's list of actions. */
export interface ToolRow {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly status: boolean
  readonly display_name: string
  readonly display_description: string
  readonly readonly: boolean
  readonly args: Readonly<Record<string, unknown>>
  /** Decisions that a person can make before each call. */
  readonly approval_actions?: readonly ApprovalAction[]
}

/** A change of a tool by its author. */
export interface ToolEdit {
  readonly name?: string
  readonly description?: string
  /** False: agents do not get it. Default true. */
  readonly enabled?: boolean
  /** Decisions that a person can make before each call. Default none. */
  readonly approvals?: readonly ApprovalAction[]
}

/** Rows with the changes, by first tag; a change of a tool that has no row adds one. */
export function withToolEdits(
  rows: unknown,
  edits: Readonly<Record<string, ToolEdit>>,
): Record<string, unknown>[] {
  const before = metadataRows(rows)
  const known = new Set(before.map(tagOf))
  const added = Object.keys(edits)
    .filter((tag) => !known.has(tag))
    .map((tag) => ({ ...toolRow({ name: tag, description: '', parameters: {} }) }))
  return [...before, ...added].map((row) => {
    const tag = tagOf(row)
    const edit = tag !== undefined && Object.hasOwn(edits, tag) ? edits[tag] : undefined
    if (edit === undefined) return row
    const { name, description, enabled, approvals } = edit
    return {
      ...row,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(enabled === undefined ? {} : { status: enabled }),
      ...(approvals === undefined ? {} : { approval_actions: [...approvals] }),
    }
  })
}

/** What the rows of a node in tool mode change, by first tag, without what says nothing. */
export function toolEdits(rows: unknown): Map<string, ToolEdit> {
  const edits = new Map<string, ToolEdit>()
  for (const row of metadataRows(rows)) {
    const tag = tagOf(row)
    if (tag === undefined) continue
    const { name, description } = row
    const approvals = approvalActions(row)
    edits.set(tag, {
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      ...(row.status === false ? { enabled: false } : {}),
      ...(approvals.length === 0 ? {} : { approvals }),
    })
  }
  return edits
}

function tagOf(row: Readonly<Record<string, unknown>>): string | undefined {
  const [tag] = Array.isArray(row.tags) ? (row.tags as unknown[]) : []
  return typeof tag === 'string' ? tag : undefined
}

const APPROVALS: readonly ApprovalAction[] = ['approve', 'edit', 'reject', 'respond']

/** Returns the valid actions of a row, without duplicates. */
function approvalActions(row: Readonly<Record<string, unknown>>): readonly ApprovalAction[] {
  const { approval_actions: chosen } = row
  return Array.isArray(chosen) ? APPROVALS.filter((action) => chosen.includes(action)) : []
}

/** Creates the unedited row of a tool. */
export function toolRow(tool: Pick<Tool, 'name' | 'description' | 'parameters'>): ToolRow {
  const properties = Reflect.get(tool.parameters, 'properties')
  return {
    name: tool.name,
    description: tool.description,
    tags: [tool.name],
    status: true,
    display_name: tool.name,
    display_description: tool.description,
    readonly: false,
    args: isObject(properties) ? titled(properties) : {},
  }
}

/** Adds the titles shown in the editor to the arguments. */
function titled(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, schema]) =>
    isObject(schema) ? [name, { title: titleOf(name), ...schema }] : [name, schema],
  )
  return Object.fromEntries(entries) as Record<string, unknown>
}

/** Converts `input_value` to `Input Value`. */
function titleOf(name: string): string {
  const words = name.split('_').filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

/**
 * Applies the user's edits, matched by first tag: removes disabled tools and updates names,
 * descriptions and approvals.
 */
export function applyToolRows<T extends Tool>(tools: readonly T[], metadata: unknown): T[] {
  const rows = new Map<string, Record<string, unknown>>()
  for (const row of metadataRows(metadata)) {
    const tag = tagOf(row)
    if (tag !== undefined) rows.set(tag, row)
  }
  return tools.flatMap((tool) => {
    const row = rows.get(tool.tags?.[0] ?? tool.name)
    if (row === undefined) return [tool]
    if (row.status === false) return []
    const name = typeof row.name === 'string' && row.name !== '' ? row.name : tool.name
    const description =
      typeof row.description === 'string' && row.description !== ''
        ? row.description
        : tool.description
    const actions = approvalActions(row)
    return [
      { ...tool, name, description, ...(actions.length === 0 ? {} : { approvalActions: actions }) },
    ]
  })
}

/** Creates the template field that contains the rows. Edits of existing rows are kept, matched by tag. */
export function toolMetadataField(rows: readonly ToolRow[], before: unknown): TemplateField {
  const edited = new Map(
    metadataRows(before).flatMap((row) =>
      Array.isArray(row.tags) ? [[row.tags[0] as unknown, row] as const] : [],
    ),
  )
  return sortKeys({
    _input_type: 'ToolsInput',
    type: 'tools',
    name: 'tools_metadata',
    display_name: 'Actions',
    info: 'The actions that an agent can call, with names, descriptions and whether they are enabled.',
    placeholder: '',
    is_list: true,
    list_add_label: 'Add More',
    real_time_refresh: true,
    required: false,
    show: true,
    advanced: false,
    dynamic: false,
    title_case: false,
    tool_mode: false,
    override_skip: false,
    trace_as_metadata: true,
    track_in_telemetry: false,
    value: rows.map((row) => mergeEdits(row, edited.get(row.tags[0]))),
  })
}

/** Creates the single output of a node in tool mode. */
export function toolsetOutput(): NodeOutput {
  return sortKeys({
    name: 'component_as_tool',
    display_name: 'Toolset',
    method: 'to_toolkit',
    types: ['Tool'],
    selected: 'Tool',
    value: '__UNDEFINED__',
    cache: true,
    allows_loop: false,
    group_outputs: false,
    tool_mode: true,
    hidden: null,
    required_inputs: null,
    loop_types: null,
    options: null,
  })
}

function mergeEdits(row: ToolRow, edit: Record<string, unknown> | undefined): ToolRow {
  if (edit === undefined) return row
  const actions = approvalActions(edit)
  return {
    ...row,
    ...(actions.length === 0 ? {} : { approval_actions: actions }),
    ...(isEdited(edit.name, edit.display_name) ? { name: edit.name } : {}),
    ...(isEdited(edit.description, edit.display_description)
      ? { description: edit.description }
      : {}),
    ...(typeof edit.status === 'boolean' ? { status: edit.status } : {}),
  }
}

/** A text that differs from the tool's own when the row was made. */
function isEdited(text: unknown, own: unknown): text is string {
  return typeof text === 'string' && text !== own
}

function metadataRows(metadata: unknown): Record<string, unknown>[] {
  return Array.isArray(metadata) ? metadata.filter(isObject) : []
}
