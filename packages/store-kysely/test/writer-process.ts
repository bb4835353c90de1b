import { createJobStore, createFlowStore } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { TENANT, user } from './scim-corpus.ts'

/** Writes for ever and says on a line of its own what has been answered, until it is killed. */
const [address = '', kind = ''] = process.argv.slice(2)
const db = kind === 'postgres' ? openPostgres<unknown>(address) : openSqlite<unknown>(address)
const scim = createScimStore(db)
const flow = createFlowStore(db)
const jobs = createJobStore(db)

const say = (what: string): void => void process.stdout.write(`${what}\n`)

async function users(): Promise<void> {
  for (let n = 1000; ; n += 1) {
    await scim.users.insert(TENANT, user(n, { emails: [{ value: `u${n}@corp.example` }] }))
    say(`user ${user(n, {}).id}`)
  }
}

async function messages(): Promise<void> {
  for (let n = 1; ; n += 1) {
    const id = `00000000-0000-4000-a000-${String(n).padStart(12, '0')}`
    await flow.transaction(async (tx) => {
      await tx.tags.insert({ id, name: `tag ${n}` })
    })
    say(`tag ${id}`)
  }
}

async function events(): Promise<void> {
  for (let seq = 0; ; seq += 2) {
    await jobs.log.append('job', [
      { seq, event: 'token', data: '"a"' },
      { seq: seq + 1, event: 'token', data: '"b"' },
    ])
    say(`event ${seq + 1}`)
  }
}

await Promise.all([users(), messages(), events()])
