import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDemoSteps } from './demo-steps.ts'
import { closeServer, listenFirst } from './listen-first.ts'
import { createLog } from './operate/log.ts'
import { createReferenceServer } from './server.ts'
import { readSettings } from './settings/read-settings.ts'

/** Starts the server in a temporary folder, calls it over HTTP and cleans up. */
const folder = await mkdtemp(join(tmpdir(), 'reference-demo-'))
try {
  await demo(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function demo(config: string): Promise<void> {
  const scimToken = 'a-token-for-the-demo'
  const environment = {
    SERVICE_CONFIG_DIR: config,
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: scimToken,
    SCIM_AUDIT_LOG: join(config, 'audit.log'),
  }
  const listening = await listenFirst('127.0.0.1', 0)
  const { server, url } = listening
  const reference = await createReferenceServer(readSettings(environment).settings, environment, {
    url,
    log: createLog({ LOG_LEVEL: 'warning', LOG_FORMAT: 'json' }),
  })
  listening.mount(reference.listener)
  const { apiKey = '', projectId = '' } = reference.firstStart
  console.log(`Server at ${url}, data in ${config}`)
  try {
    for (const { title, request, run } of createDemoSteps({ url, apiKey, projectId, scimToken })) {
      console.log(`\n${title}\n  ${request}`)
      for (const line of await run()) console.log(`  > ${line}`)
    }
    console.log('\nStopped and cleaned up. Start your own server: npm start')
  } finally {
    await Promise.all([closeServer(server, 1000), reference.finish(1000)])
    await reference.close()
  }
}
