import type * as mcp from '@modelcontextprotocol/client'
import { FlowError, isFlowError } from '@x/flow-engine'

/** The client of tool servers, an optional peer. @throws FlowError `missing_package` */
export function loadMcp(): Promise<typeof mcp> {
  return import('@modelcontextprotocol/client').catch(refuseMissing)
}

export function isMissingPackage(error: unknown): boolean {
  return isFlowError(error) && error.code === 'missing_package'
}

/** @throws FlowError `missing_package` if the client is not installed, else `cause` */
export function refuseMissing(cause: unknown): never {
  const text =
    'The component MCP Tools needs the package @modelcontextprotocol/client. ' +
    'Install it: npm install @modelcontextprotocol/client'
  throw isAbsent(cause) ? new FlowError('missing_package', text, { cause }) : cause
}

/** Node, bundlers and CommonJS loaders have codes of their own for a package that is not there. */
function isAbsent(cause: unknown): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
