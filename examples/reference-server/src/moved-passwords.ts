import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { FlowError } from '@x/flow-engine'
import type { PasswordHasher } from '@x/flow-service'
import { createScryptHasher } from '@x/flow-service/node'
import { sql, type Kysely } from 'kysely'

/** Higher costs are rejected, because a stored hash must not occupy a thread for minutes. */
const HIGHEST_COST = 14
const TIMEOUT_MS = 30_000

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { compareSync } = require(workerData.library)
  parentPort.postMessage(compareSync(workerData.password, workerData.hash))
`

/** Options of `acceptBcrypt`. */
export interface BcryptOptions {
  /** Queued checks. Default 50. */
  readonly waiting?: number
  /**
   * Cost of the bcrypt hashes that are still stored; 0: none. As long as there are some, every wrong password
   * takes as long as one for such a hash, so that sign-ins do not tell moved users from unknown names (AB-62).
   * Default 0.
   */
  readonly cost?: number
}

/**
 * The password hasher of the server, which accepts the bcrypt hashes of moved users. It asks the database once
 * whether there are any.
 */
export async function openPasswords<Tables>(db: Kysely<Tables>): Promise<PasswordHasher> {
  const hasher = createScryptHasher()
  const { rows } = await sql<{ hash: string }>`select distinct substr(password_hash, 1, 6) as hash
    from ${sql.table('flow_user')} where password_hash like '$2%'`.execute(db)
  const costs = rows.map(({ hash }) => Number(/^\$2[aby]\$(\d\d)$/.exec(hash)?.[1] ?? 0))
  const highest = costs.reduce((most, cost) => Math.max(most, cost), 0)
  return acceptBcrypt(hasher, { cost: Math.min(HIGHEST_COST, highest) })
}

/**
 * Accepts bcrypt hashes created by another service. Passwords are checked in a separate thread, one at a
 * time; the first successful sign-in replaces the hash by one from `hasher`. If more than `waiting` are queued,
 * `verify` rejects with a FlowError `rate_limited`.
 */
export function acceptBcrypt(
  hasher: PasswordHasher,
  { waiting: most = 50, cost: stored = 0 }: BcryptOptions = {},
): PasswordHasher {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let dummy: Promise<string> | undefined
  const inTurn = async (password: string, hash: string): Promise<boolean> => {
    if (waiting >= most)
      throw new FlowError('rate_limited', 'Too many sign-ins at once; try again in a moment.')
    waiting += 1
    const checked = last.then(() => compare(password, hash))
    last = checked.catch(() => undefined)
    return await checked.finally(() => (waiting -= 1))
  }
  return {
    hash: (password) => hasher.hash(password),
    async verify(password, hash) {
      const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1] ?? 0)
      if (cost === 0) {
        if (await hasher.verify(password, hash)) return true
        if (stored > 0) await inTurn(password, nobodys(stored))
        return false
      }
      const isRight = await inTurn(password, cost > HIGHEST_COST ? nobodys(stored) : hash)
      if (isRight && cost <= HIGHEST_COST) return true
      dummy ??= hasher.hash('a password that nobody has')
      await hasher.verify(password, await dummy)
      return false
    },
    needsRenewal: (hash) => hash.startsWith('$2') || hasher.needsRenewal?.(hash) === true,
  }
}

/** A hash of this cost that no password has. */
const nobodys = (cost: number): string =>
  `$2b$${String(Math.max(4, cost)).padStart(2, '0')}$${'a'.repeat(53)}`

async function compare(password: string, hash: string): Promise<boolean> {
  const library = createRequire(import.meta.url).resolve('bcryptjs')
  const worker = new Worker(PROGRAM, { eval: true, workerData: { library, password, hash } })
  const patience = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await new Promise<boolean>((resolve, reject) => {
      worker.once('message', (isRight: boolean) => resolve(isRight))
      worker.once('error', reject)
      patience.addEventListener('abort', () => resolve(false))
    })
  } finally {
    await worker.terminate()
  }
}
