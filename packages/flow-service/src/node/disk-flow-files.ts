import { rm, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { FlowFileError, type FlowFiles } from '../store/flow-files.ts'
import { isBlobKey } from '../store/blob-store.ts'
import { absoluteRoot, hasCode, realFolder, writeAtomically } from './safe-folder.ts'

/** Writes flows with an `fs_path` to `folder/<user id>/`. */
export function createDiskFlowFiles(folder: string): FlowFiles {
  const root = absoluteRoot(folder)
  return {
    relative(userId, absolutePath) {
      const inside = relative(join(root, userId), absolutePath)
      const outside = inside === '' || inside.startsWith('..') || isAbsolute(inside)
      return outside ? null : inside.split(sep).join('/')
    },
    async write(userId, relativePath, text) {
      if (!isBlobKey(relativePath)) throw new FlowFileError('the name cannot be used')
      const home = join(root, userId)
      const path = join(home, ...relativePath.split('/'))
      await realFolder(root, home, true)
      try {
        const parent = await realFolder(home, dirname(path), true)
        if (parent === undefined) throw new FlowFileError('the directory cannot be created')
        const target = join(parent, basename(path))
        if (await isFolder(target)) throw new FlowFileError('it names a directory')
        await writeAtomically(target, text)
      } catch (error) {
        if (error instanceof TypeError) throw new FlowFileError('it leads out of the directory')
        if (hasCode(error, 'EEXIST', 'ENOTDIR', 'EISDIR')) {
          throw new FlowFileError('a part of it is a file')
        }
        throw error
      }
    },
    async removeUser(userId) {
      if (!isBlobKey(userId)) throw new TypeError('The user id cannot be used as a folder name')
      // A symbolic link is removed, but not its target.
      await rm(join(root, userId), { recursive: true, force: true })
    },
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
