/** The kinds of records that are counted per user. */
export type CountedKind =
  | 'apiKeys'
  | 'variables'
  | 'projects'
  | 'flows'
  | 'userFiles'
  | 'messages'
  | 'components'
  | 'mcpServers'

/** Counts a user's records. */
export interface CountStore {
  /**
   * Number of a user's rows of one kind; looks at no more than `most` of them, so more are reported
   * as `most`. Messages are those of the user's runs, shared components those the user shared.
   */
  of(userId: string, kind: CountedKind, most: number): Promise<number>
  /** Bytes of a user's files by their records. Needed for the setting `maxStoredMbPerUser` alone. */
  fileBytes?(userId: string): Promise<number>
}
