import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { FlowError, type PasswordHasher } from '@x/flow-engine'

/** Higher costs are rejected, because a stored hash must not occupy a thread for minutes. */
const HIGHEST_COST = 14
const TIMEOUT_MS = 30_000

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { compareSync } = require(workerData.library)
  parentPort.postMessage(compareSync(workerData.password, workerData.hash))
`

/**
 * Accepts bcrypt hashes created by another service. Passwords are checked in a separate thread, one at a
 * time; the first successful sign-in replaces the hash by one from `hasher`. If more than `waiting`
 * (default 50) are queued, `verify` rejects with a FlowError `rate_limited`.
 */
export function acceptBcrypt(
  hasher: PasswordHasher,
  { waiting: most = 50 }: { readonly waiting?: number } = {},
): PasswordHasher {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    hash: (password) => hasher.hash(password),
    async verify(password, hash) {
      const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1]
      if (cost === undefined) return await hasher.verify(password, hash)
      if (Number(cost) > HIGHEST_COST) return false
      if (waiting >= most)
        throw new FlowError('rate_limited', 'Too many sign-ins at once; try again in a moment.')
      waiting += 1
      const checked = last.then(() => compare(password, hash))
      last = checked.catch(() => undefined)
      return await checked.finally(() => (waiting -= 1))
    },
    needsRenewal: (hash) => hash.startsWith('$2') || hasher.needsRenewal?.(hash) === true,
  }
}

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
