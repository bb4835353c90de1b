import { join } from 'node:path'
import type { ServerProcess } from '../lib/server-process.ts'
import { startShipped as start } from '../lib/shipped-server.ts'
import { BASE_URL, TOKEN } from './data-set.ts'

/** The server of `npm start` over a filled database, with default settings but those that switch SCIM on. */
export function startShipped(folder: string, database: string): Promise<ServerProcess> {
  return start({
    folder,
    log: join(folder, 'shipped.log'),
    environment: {
      SERVICE_DATABASE_URL: `sqlite:${database}`,
      SERVICE_SUPERUSER_PASSWORD: 'a-password-of-the-bench',
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: TOKEN,
      SCIM_BASE_URL: BASE_URL,
    },
  })
}
