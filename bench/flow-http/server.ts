import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { listenFirst } from '../../examples/reference-server/src/listen-first.ts'
import { createLog } from '../../examples/reference-server/src/log.ts'
import { createReferenceServer } from '../../examples/reference-server/src/server.ts'
import { readSettings } from '../../examples/reference-server/src/settings/read-settings.ts'
import { reportUsage } from '../lib/report-usage.ts'

// The reference server as it is, on a SQLite file of its own.
const [folder = mkdtempSync('/tmp/bench-flow-')] = process.argv.slice(2)
const environment = {
  ...process.env,
  PORT: '0',
  SERVICE_CONFIG_DIR: folder,
  SERVICE_SUPERUSER_PASSWORD: 'bench-pass-1',
}
const { settings } = readSettings(environment)
const { server, url, mount } = await listenFirst('127.0.0.1', 0)
const reference = await createReferenceServer(settings, environment, {
  url,
  log: createLog('error'),
})
mount(reference.listener)
reportUsage((server.address() as AddressInfo).port)
