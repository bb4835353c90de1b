import type { Page } from '../rules/lists.ts'

/** URN of lists. */
export const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A ListResponse; `extra` stands behind the total. */
export function listText({ total, texts }: Page, extra: string): string {
  return `{"schemas":["${LIST_URN}"],"totalResults":${total}${extra},"itemsPerPage":${texts.length},"Resources":[${texts.join(',')}]}`
}
