import type { AnyServerMessage } from '../message/any-message.ts'

/** A message with its position in a channel. */
export interface ChannelItem {
  /**
   * `<channel>.<number>`; the first message has number 1. An item behind which nothing can be
   * resumed, as those of a snapshot before the last, has the id that the subscriber had before.
   */
  readonly id: string
  readonly message: AnyServerMessage
}
