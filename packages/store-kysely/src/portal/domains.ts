import type { DomainRecord, PortalStore } from '@x/directory-portal'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { atomic } from '../engine/transaction.ts'
import { bool, date, mapping, nullable, number, plain, text } from '../records/columns.ts'
import type { PortalDomainRow, PortalTables } from '../schema/tables/portal.ts'

type Db = Kysely<PortalTables>

const domains = mapping<DomainRecord, PortalDomainRow>({
  tenant: text,
  domain: plain(),
  value: plain(),
  state: plain<DomainRecord['state']>(),
  verifiedAt: nullable(date),
  checkedAt: nullable(date),
  failures: number,
  failedSince: nullable(date),
  removed: bool,
})

export function domainPart(db: Db): PortalStore['domains'] {
  return {
    add: (record, limit) => atomic(db, (tx) => add(tx, record, limit)),
    get: (tenant, domain) => find(db, tenant, domain),
    async list(tenant) {
      const rows = await ofTenant(db, tenant).orderBy('domain').execute()
      return rows.map((row) => domains.fromRow(row))
    },
    hold: (tenant, domain, at) => atomic(db, (tx) => hold(tx, { tenant, domain, at })),
    async holder(domain) {
      const row = await db
        .selectFrom('portal_domain_holder')
        .select('tenant')
        .where('domain', '=', domain)
        .executeTakeFirst()
      return row === undefined ? null : text.decode(row.tenant)
    },
    lapse: (tenant, domain) => release(db, { tenant, domain }, { state: 'lapsed' }),
    remove: (tenant, domain) =>
      release(db, { tenant, domain }, { state: 'pending', verifiedAt: null, removed: true }),
    async due(before, limit) {
      const rows = await db
        .selectFrom('portal_domain')
        .selectAll()
        .where('state', '=', 'verified')
        .where('removed', '=', 0)
        .where('checked_at', '<', before.getTime())
        .orderBy('checked_at')
        .limit(limit)
        .execute()
      return rows.map((row) => domains.fromRow(row))
    },
    checked: (tenant, domain, { at, ...check }) =>
      change(db, { tenant, domain }, { ...check, checkedAt: at }),
  }
}

type Key = Pick<DomainRecord, 'tenant' | 'domain'>

const ofTenant = (db: Db, tenant: string) =>
  db
    .selectFrom('portal_domain')
    .selectAll()
    .where('tenant', '=', text.encode(tenant))
    .where('removed', '=', 0)

async function find(db: Db, tenant: string, domain: string): Promise<DomainRecord | null> {
  const row = await db
    .selectFrom('portal_domain')
    .selectAll()
    .where('tenant', '=', text.encode(tenant))
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row === undefined ? null : domains.fromRow(row)
}

async function change(db: Db, { tenant, domain }: Key, patch: Partial<DomainRecord>) {
  await db
    .updateTable('portal_domain')
    .set(domains.toPatch(patch))
    .where('tenant', '=', text.encode(tenant))
    .where('domain', '=', domain)
    .execute()
}

function release(db: Db, key: Key, patch: Partial<DomainRecord>): Promise<void> {
  return atomic(db, async (tx) => {
    await tx
      .deleteFrom('portal_domain_holder')
      .where('domain', '=', key.domain)
      .where('tenant', '=', text.encode(key.tenant))
      .execute()
    await change(tx, key, patch)
  })
}

/** The row of the holder is written once, so that of any number of tenants one holds the domain. */
async function hold(tx: Db, { tenant, domain, at }: Key & { readonly at: Date }) {
  await tx
    .insertInto('portal_domain_holder')
    .values({ domain, tenant: text.encode(tenant) })
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .execute()
  const { tenant: holder } = await tx
    .selectFrom('portal_domain_holder')
    .select('tenant')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  if (holder !== text.encode(tenant)) return false
  const verified = { state: 'verified', verifiedAt: at, checkedAt: at } as const
  await change(tx, { tenant, domain }, { ...verified, failures: 0, failedSince: null })
  return true
}

/** Concurrent additions of a tenant are serialised, so that the limit holds. */
async function add(
  tx: Db,
  { tenant, domain, value }: Pick<DomainRecord, 'tenant' | 'domain' | 'value'>,
  limit: number,
): Promise<DomainRecord | null> {
  if (engineOf(tx).kind === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtext('portal_domain'), hashtext(${tenant}))`.execute(
      tx,
    )
  const known = await find(tx, tenant, domain)
  if (known?.removed === false) return known
  if ((await ofTenant(tx, tenant).execute()).length >= limit) return null
  const record: DomainRecord = {
    tenant,
    domain,
    value: known?.value ?? value,
    state: 'pending',
    verifiedAt: null,
    checkedAt: null,
    failures: 0,
    failedSince: null,
    removed: false,
  }
  if (known !== null) await change(tx, record, record)
  else await tx.insertInto('portal_domain').values(domains.toRow(record)).execute()
  return record
}
