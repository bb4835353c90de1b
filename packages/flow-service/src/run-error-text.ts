import { FlowCompileError, type FlowError } from '@x/flow-engine'

/** The error text reported for a failed run; recorded texts of edges lack the reason. */
export function runErrorText(error: FlowError): string {
  const atStart = error instanceof FlowCompileError || error.code === 'invalid_flow'
  return atStart || error.code === 'invalid_request'
    ? error.detail.replace(/( has invalid handles): [^]*$/, '$1')
    : `Error running graph: ${error.detail}`
}
