import type { ProjectionRequest } from '../resource/project.ts'

/** A query as it was asked (RFC 7644 section 3.4.2), of the right types. */
export interface ListRequest extends ProjectionRequest {
  readonly filter?: string
  readonly sortBy?: string
  readonly descending: boolean
  readonly startIndex?: number
  readonly count?: number
  readonly cursor?: string
}
