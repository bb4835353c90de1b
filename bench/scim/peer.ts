import { copyFileSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from './join.ts'
import { startServer, type ServerProcess } from '../lib/server-process.ts'

const installed = fileURLToPath(new URL('peers/node_modules/scimmy-routers', import.meta.url))

/** scimmy-routers over a copy of the bound's table; undefined unless `npm install` was run in `peers/`. */
export async function startPeer(from: string, path: string): Promise<ServerProcess | undefined> {
  if (!existsSync(installed)) {
    console.log('scimmy-routers is not installed: run `npm install` in bench/scim/peers to compare')
    return undefined
  }
  copyFileSync(from, path)
  return startServer(await join('peer-server'), { args: [path] })
}
