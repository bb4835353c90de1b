import type { CoreServices } from './core-services.ts'
import type { RunningServices } from './running.ts'

/** The rules of the flow service, without HTTP. */
export interface FlowServices extends CoreServices, RunningServices {}
