import { refuse, Refusal } from '../../refusal.ts'
import { errorResponse } from './error-response.ts'
import type { AnswerErrorOptions } from '../route/route.ts'

const GONE = 'User not found or is inactive.'

/**
 * The error response for MCP clients before a server is reached: every 401 names the scheme, so
 * that clients know how to authenticate.
 */
export async function mcpErrorResponse(
  request: Request,
  error: unknown,
  { report, services }: AnswerErrorOptions,
): Promise<Response> {
  if (!(error instanceof Refusal) || error.status !== 401)
    return errorResponse(request, error, report)
  const { resourceMetadata } = services.mcp.settings
  const more = resourceMetadata === undefined ? '' : ` resource_metadata="${resourceMetadata}"`
  const detail = error.detail === GONE ? 'Inactive user' : error.detail
  const headers = { ...error.headers, 'www-authenticate': `Bearer${more}` }
  return errorResponse(request, refuse(401, detail, { headers }), report)
}
