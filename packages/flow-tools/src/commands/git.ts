import { execFile } from 'node:child_process'

/** What git prints; undefined if it fails or is absent. */
export async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('git', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error === null ? stdout : undefined)
    })
  })
}
