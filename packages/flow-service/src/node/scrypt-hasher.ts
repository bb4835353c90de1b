import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { PasswordHasher } from '../services/crypto/passwords.ts'
import { refuse } from '../refusal.ts'

/** Cost parameters of scrypt (RFC 7914). */
export interface ScryptOptions {
  /** N, a power of two. Default 2^15. */
  readonly cost?: number
  /** r. Default 8. */
  readonly blockSize?: number
  /** p. Default 1. */
  readonly parallelization?: number
  /** Concurrent hashes. Default 2. Each uses a thread of the pool that file I/O and DNS share. */
  readonly concurrency?: number
  /** Queued hashes; beyond that sign-ins get status 503. Default 100. */
  readonly waiting?: number
}

interface Costs {
  readonly N: number
  readonly r: number
  readonly p: number
}

const SALT = 16
const HASH = 32
/** Higher costs are rejected, so that a stored hash cannot stall the process. */
const HIGHEST = { N: 2 ** 20, r: 32, p: 16 }

/**
 * Hashes passwords with scrypt off the main thread, a few at a time. A hash is one string,
 * `scrypt$N$r$p$salt$hash`. Methods reject with a FlowError `rate_limited`, status 503, if too
 * many are queued.
 */
export function createScryptHasher(options: ScryptOptions = {}): PasswordHasher {
  const { cost: N = 2 ** 15, blockSize: r = 8, parallelization: p = 1 } = options
  const costs = { N, r, p }
  const inTurn = createTurns(options.concurrency ?? 2, options.waiting ?? 100)
  return {
    async hash(password) {
      const salt = randomBytes(SALT)
      const hash = await inTurn(() => derive(password, salt, costs))
      return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$')
    },
    async verify(password, stored) {
      const known = parse(stored)
      if (known === undefined) return false
      const hash = await inTurn(() => derive(password, known.salt, known.costs))
      return timingSafeEqual(hash, known.hash)
    },
    needsRenewal(stored) {
      const known = parse(stored)?.costs
      return known === undefined || known.N !== N || known.r !== r || known.p !== p
    },
  }
}

/** Runs a limited number of tasks concurrently, in FIFO order. */
function createTurns(concurrency: number, waiting: number) {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (queue.length >= waiting) throw tooMany()
      await new Promise<void>((resolve) => {
        queue.push(resolve)
      })
    } else running += 1
    try {
      return await work()
    } finally {
      // Passes the slot to the next in line, which may decline it.
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

function tooMany(): Error {
  const headers = { 'retry-after': '1' }
  return refuse(503, 'Too many sign-ins at once. Try again in a second.', { headers })
}

function parse(stored: string): { costs: Costs; salt: Buffer; hash: Buffer } | undefined {
  const match = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/.exec(stored)
  if (match === null) return undefined
  const [N = 0, r = 0, p = 0] = match.slice(1, 4).map(Number)
  const hash = Buffer.from(match[5] ?? '', 'base64')
  const tooHigh = N > HIGHEST.N || r > HIGHEST.r || p > HIGHEST.p
  if (tooHigh || N < 2 || hash.length !== HASH) return undefined
  return { costs: { N, r, p }, salt: Buffer.from(match[4] ?? '', 'base64'), hash }
}

function derive(password: string, salt: Uint8Array, { N, r, p }: Costs): Promise<Buffer> {
  // Node's default limit is just below what these costs require.
  const maxmem = 256 * N * r
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH, { N, r, p, maxmem }, (error, hash) => {
      // Bun has undefined where Node has null.
      if (error) reject(error)
      else resolve(hash)
    })
  })
}
