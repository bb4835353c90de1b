/** Storage for the JSON of flows with an `fs_path`: one folder per user. */
export interface FlowFiles {
  /** The part of an absolute path below the user's folder; null if it is outside. */
  relative(userId: string, absolutePath: string): string | null
  /**
   * Writes or replaces a file below the user's folder atomically, creating folders as needed.
   * @throws FlowFileError if the path is a folder or a symbolic link leads outside
   */
  write(userId: string, relativePath: string, text: string): Promise<void>
  /** Removes the user's folder with its content; called when the user is removed. */
  removeUser?(userId: string): Promise<void>
}

/** A path that cannot be written; the message reveals no server path. */
export class FlowFileError extends Error {}
