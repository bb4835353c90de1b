import type { CoreServices } from './core-services.ts'

/** The rules of the flow service, without HTTP. */
export interface FlowServices extends CoreServices {}
