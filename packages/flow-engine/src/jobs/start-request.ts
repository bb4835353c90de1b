import type { ComponentRegistry } from '../components/registry/registry.ts'
import { isFlowDraft, readDraft } from '../graph/draft/flow-draft.ts'
import type { BuildRequest, StartRequest } from './build-request.ts'

/**
 * The request of a job. For a draft: its current JSON, and its components in addition to those of the process
 * (DR-78).
 */
export function readRequest(
  request: StartRequest,
  components: ComponentRegistry | undefined,
): BuildRequest {
  const { flow } = request
  if (!isFlowDraft(flow)) return request as BuildRequest
  return { ...request, ...readDraft(flow, request.components ?? components) }
}
