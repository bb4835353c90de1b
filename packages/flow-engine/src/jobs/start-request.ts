import type { ComponentRegistry } from '../components/registry/registry.ts'
import { invalidRequest } from '../errors.ts'
import { isFlowDraft, readDraft } from '../graph/draft/flow-draft.ts'
import type { BuildRequest, StartRequest } from './build-request.ts'

const MAX_PRIORITY = 10

/**
 * The request of a job. For a draft: its current JSON, and its components in addition to those of the process.
 * @throws FlowError `invalid_request`
 */
export function readRequest(
  request: StartRequest,
  components: ComponentRegistry | undefined,
): BuildRequest {
  const { flow, priority = 0 } = request
  if (!(Number.isInteger(priority) && Math.abs(priority) <= MAX_PRIORITY))
    throw invalidRequest(`priority must be an integer from -${MAX_PRIORITY} to ${MAX_PRIORITY}`)
  if (!isFlowDraft(flow)) return request as BuildRequest
  return { ...request, ...readDraft(flow, request.components ?? components) }
}
