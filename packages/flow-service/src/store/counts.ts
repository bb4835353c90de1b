/** Kinds of records that are counted per user. */
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
   * Number of a user's rows of one kind, at most `most`: counting stops there. Messages are those of the
   * user's runs, shared components those the user shared.
   */
  of(userId: string, kind: CountedKind, most: number): Promise<number>
  /**
   * Bytes of a user's files according to their records. Required only for the setting `maxStoredMbPerUser`.
   */
  fileBytes?(userId: string): Promise<number>
}
