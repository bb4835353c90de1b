import type { CoreServices } from './core-services.ts'
import type { ExecutionServices } from './execution-services.ts'

/** The operations of the flow service, without HTTP. */
export interface FlowServices extends CoreServices, ExecutionServices {}
