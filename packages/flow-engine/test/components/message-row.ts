import type { MessageRecord } from '../../src/components/define/services.ts'

/** A message of a user in the session `s`, a second later for each number. */
export function messageRow(number: number, more: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: `row-${number}`,
    flowId: null,
    timestamp: new Date(1000 * number),
    sender: 'User',
    senderName: 'Ann',
    sessionId: 's',
    contextId: null,
    text: `t${number}`,
    files: [],
    error: false,
    edit: false,
    category: 'message',
    properties: {},
    contentBlocks: [],
    duration: null,
    ...more,
  }
}
