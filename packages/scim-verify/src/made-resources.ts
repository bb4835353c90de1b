import { isObject } from '@x/wire'
import { ExchangeError, type Exchange, type VerifyClient } from './client.ts'

/** The resources that a run made, which alone it may change. */
export interface MadeResources {
  readonly notes: readonly string[]
  /** Begins a run, whose names hold its id. */
  startRun(run: string): void
  /** False for a change of a resource with an id that the run did not make. */
  mayChange(method: string, path: string): boolean
  /** Remembers what an answer says was made. */
  look(method: string, path: string, answer: Exchange): void
  /** Removes everything; gives the paths of what is left. */
  removeAll(): Promise<readonly string[]>
}

const COLLECTION = /^\/(Users|Groups)\/?$/
const RESOURCE = /^\/(?:Users|Groups)\/([^/?]+)$/

export function createMadeResources(client: VerifyClient): MadeResources {
  const runs: string[] = []
  const made = new Set<string>()
  const notes: string[] = []
  const isOwn = (body: Readonly<Record<string, unknown>>): boolean => {
    const name = String(body['userName'] ?? body['displayName']).toLowerCase()
    return runs.some((run) => name.startsWith(`x-scim-${run}-`))
  }

  const remove = async (path: string): Promise<boolean> => {
    try {
      const { status } = await client.send({ method: 'DELETE', path })
      if (status !== 404 && (status < 200 || status > 299)) return false
      if (path.startsWith('/Groups')) return true
      const after = await client.send({ method: 'GET', path })
      if (after.status !== 200) return true
      const isInactive = isObject(after.body) && after.body['active'] === false
      if (isInactive && notes.length === 0)
        notes.push('The server deactivates deleted users instead of removing them.')
      return isInactive
    } catch (error) {
      if (error instanceof ExchangeError) return false
      throw error
    }
  }

  return {
    notes,
    startRun: (run) => void runs.push(run),
    mayChange(method, path) {
      const [, id] = RESOURCE.exec(path) ?? []
      if (method === 'GET' || id === undefined) return true
      return made.has(path) || id.startsWith('x-scim-no-')
    },
    look(method, path, { status, body }) {
      if (status < 200 || status > 299 || !isObject(body) || !isOwn(body)) return
      const { id } = body
      if (typeof id !== 'string') return
      const collection =
        COLLECTION.exec(path)?.[1] ?? (method === 'PUT' ? path.split('/')[1] : undefined)
      if (collection !== undefined) made.add(`/${collection}/${encodeURIComponent(id)}`)
    },
    async removeAll() {
      const left: string[] = []
      // Groups first, so that they do not lose members one by one.
      const paths = [...made].toSorted()
      for (const path of paths) if (!(await remove(path))) left.push(path)
      return left
    },
  }
}
