import { z } from 'zod'
import { joinedParts } from '../services/flows/flow-text.ts'
import type { TransactionRecord, VertexBuildRecord } from '../store/build-records.ts'

const id = z.string().meta({ format: 'uuid' })
const time = z.string().meta({ format: 'date-time' })
const anyObject = z.looseObject({})

/** The newest build of each node of a flow. */
export const VertexBuilds = z
  .strictObject({
    vertex_builds: z.record(
      z.string(),
      z.array(
        z.strictObject({
          id: z.string(),
          flow_id: id,
          build_id: id,
          timestamp: time,
          valid: z.boolean(),
          params: z.string().nullable(),
          artifacts: anyObject,
          data: anyObject,
        }),
      ),
    ),
  })
  .meta({ id: 'VertexBuilds' })

/** A page of transactions. */
export const TransactionPage = z
  .strictObject({
    items: z.array(
      z.strictObject({
        id,
        timestamp: time,
        vertex_id: z.string(),
        target_id: z.string().nullable(),
        inputs: anyObject.nullable(),
        outputs: anyObject.nullable(),
        status: z.enum(['success', 'error']),
        error: z.string().nullable(),
        flow_id: id,
      }),
    ),
    total: z.int(),
    page: z.int(),
    size: z.int(),
    pages: z.int(),
  })
  .meta({ id: 'TransactionPage' })

/** Serialises the builds of a flow in parts; values stored as JSON are inserted unchanged. */
export function vertexBuildParts(
  pages: AsyncIterable<readonly VertexBuildRecord[]>,
): AsyncIterable<string> {
  return joinedParts(pages, vertexBuildToText, ['{"vertex_builds":{', '}}'])
}

function vertexBuildToText(record: VertexBuildRecord): string {
  const head = {
    id: record.vertexId,
    flow_id: record.flowId,
    build_id: record.buildId,
    timestamp: record.timestamp.toISOString(),
    valid: record.valid,
    params: record.params,
  }
  const { artifacts, data } = record
  const build = `${JSON.stringify(head).slice(0, -1)},"artifacts":${artifacts},"data":${data}}`
  return `${JSON.stringify(record.vertexId)}:[${build}]`
}

/** Serialises a transaction. */
export function transactionToText(record: TransactionRecord): string {
  const head = {
    id: record.id,
    timestamp: record.timestamp.toISOString(),
    vertex_id: record.vertexId,
    target_id: record.targetId,
  }
  const tail = { status: record.status, error: record.error, flow_id: record.flowId }
  const { inputs, outputs } = record
  const values = `"inputs":${inputs ?? 'null'},"outputs":${outputs ?? 'null'}`
  return `${JSON.stringify(head).slice(0, -1)},${values},${JSON.stringify(tail).slice(1)}`
}
