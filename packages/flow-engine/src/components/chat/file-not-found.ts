import type { FileReference, FileScope, FileService } from '../define/services.ts'

/** Creates the error for a file that a run cannot find. */
export function fileNotFound(path: string, cause?: unknown): TypeError {
  return new TypeError(
    `File not found: '${path}'. It is not part of the export; upload it and choose it in the node.`,
    { cause },
  )
}

/** @throws TypeError for the first file that does not exist, if the file service can tell */
export async function checkFiles(
  references: readonly FileReference[],
  files: FileService | undefined,
  scope: FileScope,
): Promise<void> {
  if (files?.exists === undefined) return
  for (const { path } of references) {
    if (!(await files.exists(path, scope))) throw fileNotFound(path)
  }
}
