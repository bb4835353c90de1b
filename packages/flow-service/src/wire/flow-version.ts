import { z } from 'zod'
import type { FlowVersionRecord } from '../store/flow-versions.ts'
import { formatFlowTime } from '../services/flows/flow-text.ts'
import { MAX_VERSION_DESCRIPTION } from '../services/flows/flow-versions.ts'
import { bool, int, orNull, text } from './scalars.ts'

/** A version of the flow to run: `3`, `v3` or its id. */
export const versionName = () => orNull(text({ max: 50 }))

/** The create payload of a version; the body is optional. */
export const FlowVersionCreate = z
  .object({ description: orNull(text({ max: MAX_VERSION_DESCRIPTION })) })
  .nullish()
  .meta({ id: 'FlowVersionCreate' })

export const FlowVersionListQuery = z.object({
  limit: int({ ge: 1, le: 100 }).default(50),
  offset: int({ ge: 0 }).default(0),
})

export const ActivateQuery = z.object({ save_draft: bool().default(true) })

/** A version as returned by the service. */
export const FlowVersionRead = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    flow_id: z.string().meta({ format: 'uuid' }),
    user_id: z.string().meta({ format: 'uuid' }),
    version_number: z.int(),
    version_tag: z.string(),
    description: z.string().nullable(),
    created_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'FlowVersion' })

/** A version in a list; null keys are omitted. */
const FlowVersionEntry = FlowVersionRead.extend({
  description: z.string().optional(),
}).meta({ id: 'FlowVersionEntry' })

export const FlowVersionList = z
  .object({ entries: FlowVersionEntry.array(), max_entries: z.int() })
  .meta({ id: 'FlowVersionList' })

export const FlowVersionWithData = FlowVersionRead.extend({
  data: z.looseObject({}).nullable(),
}).meta({ id: 'FlowVersionWithData' })

const ids = () => z.string().array().readonly()
const FieldDiff = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })
const NodeDiff = z.object({ id: z.string(), fields: FieldDiff.array().readonly() })

/** The differences between two versions. */
export const FlowVersionDiff = z
  .object({
    nodes: z.object({ added: ids(), removed: ids(), changed: NodeDiff.array().readonly() }),
    edges: z.object({ added: ids(), removed: ids() }),
  })
  .meta({ id: 'FlowVersionDiff' })

/** Converts a version, without its data, to its wire form. */
export function flowVersionToWire(version: FlowVersionRecord): z.input<typeof FlowVersionRead> {
  return {
    id: version.id,
    flow_id: version.flowId,
    user_id: version.userId,
    version_number: version.number,
    version_tag: `v${version.number}`,
    description: version.description,
    created_at: formatFlowTime(version.createdAt),
  }
}

/** Converts a listed version to its wire form. */
export function flowVersionToEntry(version: FlowVersionRecord): z.input<typeof FlowVersionEntry> {
  const { description, ...entry } = flowVersionToWire(version)
  return { ...entry, ...(description === null ? {} : { description }) }
}
