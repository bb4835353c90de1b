import type { ComponentRegistry } from '../components/registry/registry.ts'
import { invalidRequest } from '../errors.ts'
import { isFlowDraft, readDraft } from '../graph/draft/flow-draft.ts'
import type { BuildRequest, StartRequest } from './build-request.ts'

const MAX_PRIORITY = 10
const ID = /^[\w-]{1,100}$/

/**
 * The request of a job. For a draft: its current JSON, and its components in addition to those of the process.
 * @throws FlowError `invalid_request`
 */
export function readRequest(
  request: StartRequest,
  components: ComponentRegistry | undefined,
): BuildRequest {
  if (request.id !== undefined) {
    const { id, ...given } = request
    if (!ID.test(id)) throw invalidRequest('id must be 1 to 100 letters, digits, - and _')
    return readRequest(given, components)
  }
  const { flow, priority = 0 } = request
  if (!(Number.isInteger(priority) && Math.abs(priority) <= MAX_PRIORITY))
    throw invalidRequest(`priority must be an integer from -${MAX_PRIORITY} to ${MAX_PRIORITY}`)
  if (!isFlowDraft(flow)) return request as BuildRequest
  return { ...request, ...readDraft(flow, request.components ?? components) }
}
