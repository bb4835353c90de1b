import type { FileScope, FileService } from '@x/flow-engine'

/** Changes a file atomically if the file service supports it; otherwise reads and then writes it. */
export async function updateFile(
  files: FileService,
  path: string,
  scope: FileScope,
  change: (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
): Promise<string> {
  if (files.update !== undefined) return await files.update(path, change, scope)
  return await files.write(path, await change(await files.read(path, scope)), scope)
}
