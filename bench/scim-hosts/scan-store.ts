import { createScimService } from '@x/scim-core'
import { createScanStore, type ScanData, type ScanUser, type ScanRequest } from '@x/scim-core/scan'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { cpuPerOperation, interleave } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'

const BASE = 'http://127.0.0.1/scim/v2'
const TOKEN = 'bench'
const FEW = 10_000
const MANY = 100_000

interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
}

type Db = Kysely<unknown>

/** A host's own table with users `u000000`, `u000001` ... */
async function openTable(path: string, count: number): Promise<Db> {
  const db = openSqlite<unknown>(path)
  await sql`create table person (org text, id text, email text, name text, primary key (org, id),
    unique (org, email))`.execute(db)
  await sql`with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${count})
    insert into person select 'default', printf('u%06d', i), printf('u%06d@b.example', i), 'User ' || i
    from n`.execute(db)
  return db
}

function chosen(want: ScanRequest['users']): RawBuilder<unknown> | null {
  if (want === 'none') return null
  if (want === 'all' || 'page' in want) return sql``
  if ('ids' in want) return sql`and id in (${sql.join([...want.ids])})`
  return 'userNameKey' in want ? sql`and email = ${want.userNameKey}` : sql``
}

async function readUsers(db: Db, org: string, want: ScanRequest['users']): Promise<ScanData> {
  const condition = chosen(want)
  const query = sql<Person>`select id, email, name from person where org = ${org} ${condition ?? sql``}`
  const rows = condition === null ? [] : (await query.execute(db)).rows
  const users = rows.map(({ id, email, name }): ScanUser => {
    return { id, userName: email, attributes: { displayName: name } }
  })
  return { users, groups: [], members: [] }
}

/** CPU of a request, in milliseconds. */
function requests(
  db: Db,
  { honours, stamped = false }: { readonly honours: boolean; readonly stamped?: boolean },
) {
  const store = createScanStore<Db>({
    maxUsers: MANY,
    transaction: (_org, work) => db.transaction().execute(work),
    load: (org, tx, want) => readUsers(tx, org, honours ? want.users : 'all'),
    save: async () => undefined,
    ...(stamped && { stamp: async () => 1 }),
  })
  const { handle } = createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
  })
  const get = async (path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await handle(new Request(BASE + path, { headers }))
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    await answer.text()
  }
  return (path: string) => () =>
    cpuPerOperation(5, async () => {
      for (let n = 0; n < 5; n += 1) await get(path)
    })
}

/** The goals of SH-10. @param folder where the tables go */
export async function scanStoreFigures(folder: string): Promise<Figure[]> {
  const few = await openTable(`${folder}/few.db`, FEW)
  const many = await openTable(`${folder}/many.db`, MANY)
  const name = encodeURIComponent('userName eq "u005000@b.example"')
  const honoured = requests(many, { honours: true })
  const measured = await interleave(
    {
      ignored: requests(few, { honours: false })('/Users/u005000'),
      stamped: requests(few, { honours: false, stamped: true })('/Users/u005000'),
      get: honoured('/Users/u005000'),
      filter: honoured(`/Users?filter=${name}`),
    },
    { rounds: 9, warmUp: 3 },
  )
  await Promise.all([few.destroy(), many.destroy()])
  const figure = (candidate: string, what: string, limit: number): Figure => ({
    name: `scan store: ${what}`,
    value: (measured.get(candidate)?.median ?? NaN) / 1_000,
    unit: 'ms CPU',
    limit,
  })
  return [
    figure('ignored', 'GET by id of 10,000, want ignored', 60),
    figure('stamped', 'the same with an equal stamp', 2),
    figure('get', 'GET by id of 100,000, want honoured', 2),
    figure('filter', 'userName eq of 100,000, want honoured', 2),
  ]
}
