import { clientNetworkOf } from '@x/wire'
import type { BuildJobs, JobRecord } from '@x/flow-engine'
import { isFlowError } from '@x/flow-engine'
import { refuse, type Refusal } from '../../refusal.ts'

/** Waiting builds per visitor, and per address or IPv6 network. */
const MAX_PER_CLIENT = 2
const MAX_PER_ADDRESS = 5

/** Admits builds of visitors to the queue, a few per visitor. */
export interface VisitorQueue {
  /** @throws Refusal 429 if too many builds of this visitor, this address, or all visitors are waiting */
  start(
    visitor: { readonly clientId: string; readonly address: string | undefined },
    start: () => Promise<JobRecord>,
  ): Promise<JobRecord>
  /** Called when the job no longer waits. */
  left(jobId: string): void
}

/** A slot in the waiting room, also before its job has an id. */
interface Place {
  jobId?: string
}

export function createVisitorQueue(jobs: () => Pick<BuildJobs, 'get'>): VisitorQueue {
  const rooms = new Map<string, Set<Place>>()
  const places = new Map<string, () => void>()

  /** Jobs claimed by another process are only noticed by asking the queue. */
  const isWaiting = async ({ jobId }: Place): Promise<boolean> =>
    jobId === undefined || (await jobs().get(jobId))?.state === 'queued'
  const enter = async (name: string, place: Place, most: number): Promise<boolean> => {
    const room = rooms.get(name) ?? new Set()
    rooms.set(name, room.add(place))
    if (room.size <= most) return true
    for (const other of room) {
      if (other !== place && !(await isWaiting(other))) room.delete(other)
    }
    return room.size <= most
  }
  const leave = (name: string, place: Place): void => {
    const room = rooms.get(name)
    room?.delete(place)
    if (room?.size === 0) rooms.delete(name)
  }

  return {
    async start({ clientId, address }, start) {
      const place: Place = {}
      const names = [`client ${clientId}`]
      if (address !== undefined) names.push(`address ${clientNetworkOf(address)}`)
      const out = (): void => {
        for (const name of names) leave(name, place)
      }
      try {
        for (const name of names) {
          const most = name.startsWith('client ') ? MAX_PER_CLIENT : MAX_PER_ADDRESS
          if (!(await enter(name, place, most))) throw tooMany()
        }
        const job = await start()
        place.jobId = job.id
        places.set(job.id, out)
        return job
      } catch (error) {
        out()
        throw isFlowError(error) && error.code === 'limit_exceeded' ? tooMany() : error
      }
    },
    left(jobId) {
      places.get(jobId)?.()
      places.delete(jobId)
    },
  }
}

function tooMany(): Refusal {
  const detail = 'Too many builds of public flows are waiting; try again later'
  return refuse(429, detail, { headers: { 'retry-after': '5' } })
}
