import { sql } from 'kysely'
import { openPostgres } from '@x/store-kysely/postgres'

/** An empty database of a local PostgreSQL, and how it goes away; null: there is none. */
export async function postgresDatabases(): Promise<{
  readonly address: (name: string) => Promise<string>
  readonly remove: () => Promise<void>
} | null> {
  const server = process.env['BENCH_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const db = openPostgres<unknown>(server)
  const isThere = await sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    await db.destroy()
    return null
  }
  const made: string[] = []
  return {
    async address(name) {
      const database = `bench_scim_${name}_${process.pid}`
      await sql`create database ${sql.id(database)}`.execute(db)
      made.push(database)
      return server.replace(/\/[^/]*$/, `/${database}`)
    },
    async remove() {
      for (const database of made)
        await sql`drop database ${sql.id(database)} with (force)`.execute(db)
      await db.destroy()
    },
  }
}
