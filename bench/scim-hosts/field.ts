import { createScimService, type ScimOptions, type ScimStore } from '@x/scim-core'
import { createScanStore, type ScanMember, type ScanUser } from '@x/scim-core/scan'
import { cpuPerOperation, interleave, pairRatio, type Candidate } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'

const BASE = 'http://127.0.0.1/scim/v2'
const TOKEN = 'bench'
const POSTS = 10

type Service = ReturnType<typeof createScimService>

const over = (store: ScimStore, options: Partial<ScimOptions> = {}): Service =>
  createScimService({ store, baseUrl: BASE, auth: { kind: 'token', token: TOKEN }, ...options })

/** CPU of creating users; each body has what `more` gives. */
function posts({ handle }: Service, more: (n: number) => object = () => ({})): Candidate {
  let next = 0
  return () =>
    cpuPerOperation(POSTS, async () => {
      for (let n = 0; n < POSTS; n += 1) {
        next += 1
        const mail = { value: `p${next}@mail.example`, type: 'work', primary: true }
        const user = { userName: `p${next}@b.example`, emails: [mail], ...more(next) }
        const answer = await handle(
          new Request(`${BASE}/Users`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${TOKEN}`,
              'content-type': 'application/scim+json',
            },
            body: JSON.stringify(user),
          }),
        )
        if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
        await answer.text()
      }
    })
}

/** CPU of reading one user again and again. */
async function reads({ handle, users }: Service): Promise<Candidate> {
  const { id } = await users.create('default', { userName: 'a@b.example' })
  const headers = { authorization: `Bearer ${TOKEN}` }
  return () =>
    cpuPerOperation(POSTS, async () => {
      for (let n = 0; n < POSTS; n += 1)
        await (await handle(new Request(`${BASE}/Users/${id}`, { headers }))).text()
    })
}

/** Rows of a host in arrays, which `save` writes. */
function arrayStore(hooks: { readonly onUserWrite?: () => void } = {}): ScimStore {
  const users = new Map<string, ScanUser>()
  return createScanStore<null>({
    ...hooks,
    maxUsers: 1_000_000,
    transaction: (_tenant, work) => work(null),
    async load(_tenant, _tx, { users: want }) {
      // What a table finds by an index.
      const found = typeof want === 'object' && 'ids' in want ? want.ids : []
      const rows = found.map((id) => users.get(id)).filter((row) => row !== undefined)
      return { users: rows, groups: [], members: [] as ScanMember[] }
    },
    async save(_tenant, { users: changed }) {
      for (const row of changed.inserted) users.set(row.id, row)
    },
  })
}

/** The goals for requests of directories. `open` opens an empty SQL store; `name` is that of its file. */
export async function fieldFigures(open: (name: string) => Promise<ScimStore>): Promise<Figure[]> {
  const figure = async (
    name: string,
    limit: number,
    [one, other]: readonly [Candidate, Candidate],
  ): Promise<Figure> => {
    const { median: value, quartiles } = await pairRatio(one, other)
    const [low, high] = quartiles.map((quartile) => quartile.toFixed(2))
    return { name, value, unit: 'x CPU', limit, note: `quartiles ${low} and ${high}` }
  }
  const unknown = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${n}`, 1]))
  const many = over(await open('many-names'))
  const names = await interleave(
    {
      few: posts(many, () => unknown(2_000)),
      many: posts(over(await open('names')), () => unknown(20_000)),
    },
    { rounds: 5 },
  )
  const median = (name: string): number => names.get(name)?.median ?? NaN
  return [
    await figure("POST with emailConflict 'primary' / 'off'", 1.15, [
      posts(over(await open('primary'), { emailConflict: 'primary' })),
      posts(over(await open('off'), { emailConflict: 'off' })),
    ]),
    await figure('POST with an ignored name / with one that is stored', 1.03, [
      posts(over(await open('ignored')), (n) => ({ unknown: `n${n}` })),
      posts(over(await open('stored')), (n) => ({ nickName: `n${n}` })),
    ]),
    await figure('GET by id with activity / without', 1.1, [
      await reads(over(await open('active'))),
      await reads(over(await open('silent'), { rememberActivity: false })),
    ]),
    await figure('POST over a scan store with a hook / without', 1.2, [
      posts(over(arrayStore({ onUserWrite: () => undefined }))),
      posts(over(arrayStore())),
    ]),
    {
      name: '20,000 ignored names / 2,000',
      value: median('many') / median('few'),
      unit: 'x CPU',
      limit: 12,
      note: 'linear is 10',
    },
  ]
}
