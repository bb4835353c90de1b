import { refuse } from '../../refusal.ts'
import { FlowFileError, type FlowFiles } from '../../store/flow-files.ts'

/**
 * Resolves an `fs_path` to a path below the user's folder.
 * @throws Refusal 400
 */
export function resolveFsPath(
  files: FlowFiles | undefined,
  userId: string,
  fsPath: string,
): string {
  const path = fsPath.replaceAll('\\', '/')
  if (path === '') throw refuse(400, 'fs_path cannot be empty')
  if (path.includes('..')) {
    throw refuse(400, 'Invalid fs_path: directory traversal (..) is not allowed')
  }
  if (path.includes('\0')) throw refuse(400, 'Invalid fs_path: null bytes are not allowed')
  const absolute = path.startsWith('/') || /^[A-Za-z]:/.test(path)
  const relative = absolute ? (files?.relative(userId, path) ?? null) : path
  if (relative === null) throw refuse(400, 'Absolute path must be within your flows directory')
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length === 0 || /(^|\/)\.?$/.test(relative)) {
    throw refuse(400, 'Invalid fs_path: it names a directory')
  }
  return parts.join('/')
}

/** Writes a flow's file; does nothing without a path or without storage. */
export async function writeFlowFile(
  files: FlowFiles | undefined,
  { userId, fsPath, text }: { userId: string; fsPath: string | null; text: () => string },
): Promise<void> {
  if (fsPath === null || files === undefined) return
  try {
    await files.write(userId, resolveFsPath(files, userId, fsPath), text())
  } catch (error) {
    if (error instanceof FlowFileError) {
      throw refuse(400, `Invalid fs_path: ${error.message}`, { cause: error })
    }
    throw error
  }
}
