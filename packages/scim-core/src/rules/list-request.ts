import type { ProjectionRequest } from '../resource/project.ts'

/** The parameters of a query (RFC 7644 section 3.4.2), type-checked. */
export interface ListRequest extends ProjectionRequest {
  readonly filter?: string
  readonly sortBy?: string
  readonly descending: boolean
  readonly startIndex?: number
  readonly count?: number
  readonly cursor?: string
}
