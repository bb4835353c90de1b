import { BUDGET_HOLD_MS, type BudgetCount, type BudgetStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import type { FlowDb } from './context.ts'

/** Rolls back what a reservation has added to other counters. */
const FULL = new Error('A counter would exceed its limit')

/** Counters of budgets in SQL. All statements take the counters in the order of their keys, so that none wait in a circle. */
export function createBudgets(db: FlowDb): BudgetStore {
  const read = async (keys: readonly string[], at: Date): Promise<BudgetCount[]> => {
    if (keys.length === 0) return []
    const { rows } = await sql<{ key: string; used: unknown; reserved: unknown }>`
      select c.key, c.used, (select coalesce(sum(h.amount), 0) from flow_budget_hold h
        where h.key = c.key and h.at > ${at.getTime() - BUDGET_HOLD_MS}) as reserved
      from flow_budget c where c.key in (${sql.join(keys)})`.execute(db)
    const found = new Map(rows.map((row) => [row.key, row]))
    return keys.map((key) => {
      const { used = 0, reserved = 0 } = found.get(key) ?? {}
      return { used: Number(used), reserved: Number(reserved) }
    })
  }
  return {
    read,
    async reserve(id, shares, at) {
      const ordered = byKey(shares)
      try {
        if (ordered.some(({ amount, limit }) => amount > limit)) throw FULL
        await atomic(db, async (tx) => {
          const added = await sql<{ key: string }>`
            insert into flow_budget as c (key, used, most, ends_at) values ${sql.join(
              ordered.map(
                ({ key, amount, limit, endsAt }) =>
                  sql`(${key}, ${amount}, ${limit}, ${endsAt.getTime()})`,
              ),
            )}
            on conflict (key) do update set used = c.used + excluded.used, most = excluded.most
            where c.used + excluded.used <= excluded.most returning key`.execute(tx)
          if (added.rows.length < ordered.length) throw FULL
          await sql`insert into flow_budget_hold (id, key, amount, at) values ${sql.join(
            ordered.map(({ key, amount }) => sql`(${id}, ${key}, ${amount}, ${at.getTime()})`),
          )}`.execute(tx)
        })
        return null
      } catch (error) {
        if (error !== FULL) throw error
        return await read(
          shares.map(({ key }) => key),
          at,
        )
      }
    },
    settle: (id, used) =>
      atomic(db, async (tx) => {
        const { rows } = await sql<{ key: string; amount: unknown }>`
          delete from flow_budget_hold where id = ${id} returning key, amount`.execute(tx)
        for (const { key, amount: held } of byKey(rows)) {
          const { amount = 0 } = used.find((share) => share.key === key) ?? {}
          const more = amount - Number(held)
          if (more !== 0)
            await sql`update flow_budget set used = used + ${more} where key = ${key}`.execute(tx)
        }
      }),
    trim: (before) =>
      atomic(db, async (tx) => {
        await sql`delete from flow_budget where ends_at < ${before.getTime()}`.execute(tx)
        await sql`delete from flow_budget_hold where at < ${before.getTime()}`.execute(tx)
      }),
  }
}

function byKey<Share extends { readonly key: string }>(shares: readonly Share[]): Share[] {
  return shares.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
