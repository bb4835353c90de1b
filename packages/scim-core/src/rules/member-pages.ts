import { yieldToEventLoop } from '@x/wire'
import type { MemberRow, MemberStore } from '../store/members.ts'

/** Members that are read at once. */
export const MEMBER_PAGE = 1_000

/** The members of a group in pages, with turns of the event loop between them. */
export async function* memberPages(
  members: MemberStore,
  tenant: string,
  groupId: string,
): AsyncGenerator<readonly MemberRow[]> {
  for await (const page of members.pages?.(tenant, groupId) ??
    inPages(members.list(tenant, groupId))) {
    yield page
    if (page.length >= MEMBER_PAGE) await yieldToEventLoop()
  }
}

async function* inPages(rows: AsyncIterable<MemberRow>): AsyncGenerator<readonly MemberRow[]> {
  let page: MemberRow[] = []
  for await (const row of rows) {
    page.push(row)
    if (page.length < MEMBER_PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
