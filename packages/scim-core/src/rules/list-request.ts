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

/** A page of a list with index paging. */
export interface PageRequest {
  /** 1-based index of the first resource. */
  readonly startIndex: number
  readonly offset: number
  readonly limit: number
}

/** Clamps the requested page: from 1, negative counts are 0, at most `maxPageSize` resources. */
export function pageRequest(
  { startIndex = 1, count }: Pick<ListRequest, 'startIndex' | 'count'>,
  { pageSize, maxPageSize }: { readonly pageSize: number; readonly maxPageSize: number },
): PageRequest {
  const first = Math.max(1, startIndex)
  const limit = Math.min(Math.max(0, count ?? pageSize), maxPageSize)
  return { startIndex: first, offset: first - 1, limit }
}
