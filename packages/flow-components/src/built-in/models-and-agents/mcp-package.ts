import type * as mcp from '@modelcontextprotocol/client'
import type * as stdio from '@modelcontextprotocol/client/stdio'
import { FlowError, isFlowError } from '@x/flow-engine'

/** The client of tool servers, an optional peer. @throws FlowError `missing_package` */
export function loadMcp(): Promise<typeof mcp> {
  return import('@modelcontextprotocol/client').catch(refuse)
}

/** The same for servers that are local commands. @throws FlowError `missing_package` */
export function loadMcpStdio(): Promise<typeof stdio> {
  return import('@modelcontextprotocol/client/stdio').catch(refuse)
}

export function isMissingPackage(error: unknown): boolean {
  return isFlowError(error) && error.code === 'missing_package'
}

function refuse(cause: unknown): never {
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
