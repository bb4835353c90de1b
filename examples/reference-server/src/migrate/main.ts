import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSecretBox } from '@x/flow-service'
import { createSystemRuntime } from '@x/flow-engine'
import { createDiskBlobStore } from '@x/flow-service/node'
import { linkUsers } from '@x/store-kysely/link'
import { openDatabase } from '../database.ts'
import { readSecretKey } from '../secret-key.ts'
import { readSettings, SettingsError } from '../settings/read-settings.ts'
import { isRefusal } from '../settings/refusal.ts'
import { openApiSource } from './api-source.ts'
import { openDatabaseSource } from './database-source.ts'
import { copyInstallation } from './copy-installation.ts'
import { createReport } from './report.ts'
import type { Source } from './source.ts'

const HELP = `Copies a Langflow 1.7 installation into the database of this server.

  npm run migrate -- --from sqlite:/path/langflow.db --config-dir /path/config
  npm run migrate -- --from postgres://user@host/db --config-dir /path/config
  npm run migrate -- --from https://flows.example --api-key sk-...

  --config-dir  LANGFLOW_CONFIG_DIR of the installation, with its uploaded
                files and its file secret_key
  --secret-key  LANGFLOW_SECRET_KEY, if it is not in the file secret_key
  --api-key     key of the user to copy; the API gives out neither passwords
                nor secret values

The SERVICE_ variables select the target, as for npm start. Stop that server
first. Existing records are not changed, so the command can be repeated.`

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      'config-dir': { type: 'string' },
      'secret-key': { type: 'string' },
      'api-key': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    console.log(HELP)
    return
  }
  if (values.from === undefined)
    throw new SettingsError('--from is missing; npm run migrate -- --help shows how to use it')
  const { settings } = readSettings(process.env)
  const folder = settings.SERVICE_CONFIG_DIR ?? './data'
  const source: Source = /^https?:/.test(values.from)
    ? await openApiSource({ address: values.from, apiKey: values['api-key'] ?? '' })
    : await openDatabaseSource({
        address: values.from,
        configDir: values['config-dir'] ?? '.',
        secretKey: values['secret-key'],
      })
  const secretKey = new TextEncoder().encode(readSecretKey(settings.SERVICE_SECRET_KEY, folder))
  const { db } = await openDatabase(settings.SERVICE_DATABASE_URL, { folder })
  const report = createReport()
  try {
    await copyInstallation(
      source,
      {
        store: linkUsers(db).flow,
        files: createDiskBlobStore(join(folder, 'files')),
        secrets: createSecretBox(secretKey, createSystemRuntime()),
      },
      report,
    )
  } finally {
    console.log(report.toString())
    await Promise.all([source.close(), db.destroy()])
  }
}

run().catch((error: unknown) => {
  const expected =
    isRefusal(error) || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  console.error(expected === true && error instanceof Error ? error.message : error)
  process.exit(1)
})
