import { concatenated, type BodyText } from '../resource/body-text.ts'
import type { Page } from '../rules/lists.ts'

/** URN of lists. */
export const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Formats a ListResponse; `extra` follows the total. */
export function listText({ total, texts }: Page, extra: string): BodyText {
  const head = `{"schemas":["${LIST_URN}"],"totalResults":${total}${extra},"itemsPerPage":${texts.length},"Resources":[`
  if (texts.every((text) => typeof text === 'string')) return `${head}${texts.join(',')}]}`
  const separated = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]))
  return concatenated([head, ...separated, ']}'])
}
