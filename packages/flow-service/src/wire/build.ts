import { z } from 'zod'
import { versionName } from './flow-version.ts'
import { bool, dict, int, nameText, oneOf, orNull, text } from './scalars.ts'

/** How the events of a build reach the client. */
export const EVENT_DELIVERY = ['streaming', 'direct', 'polling'] as const

/** A graph in a request; unknown keys are preserved. */
export const GraphPayload = z
  .looseObject({ nodes: dict().array(), edges: dict().array(), viewport: orNull(dict()) })
  .meta({ id: 'FlowDataRequest' })

/** The input of a build or an advanced run; unknown keys are rejected. */
export const InputValueRequest = z
  .strictObject({
    components: text().array().nullish(),
    input_value: orNull(text()),
    session: orNull(nameText()),
    type: oneOf(['chat', 'text', 'any'], 'literal_error').nullish(),
    client_request_time: orNull(int()),
  })
  .meta({ id: 'InputValueRequest' })

export const BuildBody = z
  .object({
    inputs: InputValueRequest.nullish(),
    data: GraphPayload.nullish(),
    files: text().array().nullish(),
  })
  .nullish()
  .meta({ id: 'BuildFlowRequest' })

export const SliceQuery = z.object({
  stop_component_id: orNull(text()),
  start_component_id: orNull(text()),
})

export const BuildQuery = SliceQuery.extend({
  log_builds: bool().default(true),
  flow_name: orNull(nameText()),
  event_delivery: oneOf(EVENT_DELIVERY).default('polling'),
})

export const OwnBuildQuery = BuildQuery.extend({
  resumable: bool().nullish(),
  warnings: bool().default(false),
  version: versionName(),
})

export const PublicBuildQuery = BuildQuery.extend({ log_builds: bool().nullish() })

export const EventsQuery = z.object({
  event_delivery: oneOf(EVENT_DELIVERY).default('streaming'),
  cursor: int({ ge: -1 }).optional(),
  warnings: bool().default(false),
})

export const JobStarted = z.object({ job_id: text() }).meta({ id: 'JobStarted' })

export const CancelFlowResponse = z
  .object({ success: z.boolean(), message: text() })
  .meta({ id: 'CancelFlowResponse' })

export const VerticesOrderResponse = z
  .object({ ids: text().array(), run_id: text(), vertices_to_run: text().array() })
  .meta({ id: 'VerticesOrderResponse' })

export const VertexBuildBody = z
  .object({ inputs: InputValueRequest.nullish(), files: text().array().nullish() })
  .nullish()
  .meta({ id: 'BuildVertexRequest' })

/** A graph, or nothing to build the stored one. */
export const GraphBody = GraphPayload.nullish()
