/** Joins a TypeScript program and the workspace's sources into one JavaScript file, unless it is current. */
export function joinSources(
  entry: string,
  output: string,
  options?: {
    /** Leaves every installed package outside. Default: only those that are imported on demand. */
    readonly installedOutside?: boolean
  },
): Promise<void>

/** Whether `output` was joined from the files as they are now, judged by their sizes and times of change. */
export function isJoined(
  output: string,
  options?: { readonly installedOutside?: boolean },
): Promise<boolean>
