/** Joins a TypeScript program and the workspace's sources into one JavaScript file. */
export function joinSources(entry: string, output: string): Promise<void>
