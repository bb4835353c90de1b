import type { CoreServices } from './core-services.ts'
import type { ExecutionServices } from './execution-types.ts'

/** The operations of the flow service, without HTTP. */
export interface FlowServices extends CoreServices, ExecutionServices {}
