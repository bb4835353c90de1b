import type { AnyServerMessage } from '../message/any-message.ts'

/** A message with its position in a channel. */
export interface ChannelItem {
  /**
   * `<channel>.<number>`, counted from 1. Items that cannot be resumed from, such as those of a snapshot
   * before the last, have the subscriber's previous id.
   */
  readonly id: string
  readonly message: AnyServerMessage
}
