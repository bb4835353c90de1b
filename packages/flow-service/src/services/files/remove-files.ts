import { folderKeyOf, type FileSpace } from './file-address.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { usageKeyOf } from './visitor-files.ts'

/**
 * Removes all files of a user and of removed flows, including those of visitors and the results of frozen
 * vertices. Folders that cannot be removed are reported and left.
 */
export async function removeFilesOf(
  { files, flowFiles, report }: Pick<ServiceDependencies, 'files' | 'flowFiles' | 'report'>,
  { userId, flowIds }: { readonly userId?: string; readonly flowIds: readonly string[] },
): Promise<void> {
  const spaces: readonly FileSpace[] = ['flows', 'visitors', 'frozen']
  const folders = [
    ...(userId === undefined ? [] : [folderKeyOf('users', userId)]),
    ...flowIds.flatMap((id) => spaces.map((space) => folderKeyOf(space, id))),
  ]
  for (const folder of folders) {
    await files.removeFolder(folder).catch((error: unknown) => report(error, { folder }))
  }
  if (userId !== undefined)
    await flowFiles?.removeUser?.(userId).catch((error: unknown) => report(error, { userId }))
  for (const id of flowIds) {
    await files.remove(usageKeyOf(id)).catch((error: unknown) => report(error, { flow: id }))
  }
}
