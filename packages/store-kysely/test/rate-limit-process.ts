import { createRateLimitStore } from '@x/store-kysely/rate-limit'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'

/** Takes 100 requests out of one bucket, ten at a time, and says how many it was given. */
const [address = ''] = process.argv.slice(2)
const db = address.startsWith('postgres')
  ? openPostgres<unknown>(address)
  : openSqlite<unknown>(address)
const store = createRateLimitStore(db)
let given = 0
await Promise.all(
  Array.from({ length: 10 }, async () => {
    for (let n = 0; n < 10; n += 1) {
      const { allowed } = await store.take('ada', { perSecond: 0.001, burst: 50 })
      if (allowed) given += 1
    }
  }),
)
process.stdout.write(`${given}\n`)
await db.destroy()
