/** Joins a TypeScript program and the workspace's sources into one JavaScript file. */
export function joinSources(
  entry: string,
  output: string,
  options?: {
    /** Leaves every installed package outside. Default: only those that are imported on demand. */
    readonly installedOutside?: boolean
  },
): Promise<void>
