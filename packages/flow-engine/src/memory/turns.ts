import type { StoredJob } from '../store/job-store.ts'

type Turning = Pick<
  StoredJob,
  'id' | 'state' | 'lane' | 'userId' | 'priority' | 'crashes' | 'maxRunningPerUser'
>

/** Decides which waiting job is next; users take turns. */
export interface Turns<Job extends Turning> {
  /** Call with each new state of a job that is queued or running; others are ignored. */
  enter(job: Job): void
  /** Call with the state that was entered. */
  leave(job: Job): void
  next(query: {
    readonly lanes: readonly string[] | undefined
    readonly suspects: boolean | 'apart'
    readonly apart: number | undefined
  }): string | undefined
  waitingIn(lane: string): number
}

/** The waiting and running jobs of one user in one lane. */
interface Turn<Job> {
  readonly lane: string
  /** By rank, then in the order they were queued; the number is that of their place in the whole queue. */
  readonly waiting: Map<number, Map<Job, number>>
  running: number
}

/** Suspects precede all priorities. */
const SUSPECT = 100

export function createTurns<Job extends Turning>(): Turns<Job> {
  const turns = new Map<string, Turn<Job>>()
  const lanes = new Map<string, number>()
  let count = 0

  const turnOf = ({ lane, userId }: Job): Turn<Job> => {
    const key = `${lane} ${userId ?? ''}`
    const turn = turns.get(key) ?? { lane, waiting: new Map(), running: 0 }
    turns.set(key, turn)
    return turn
  }
  const wait = ({ lane }: Job, change: 1 | -1): void =>
    void lanes.set(lane, (lanes.get(lane) ?? 0) + change)

  return {
    waitingIn: (lane) => lanes.get(lane) ?? 0,
    enter(job) {
      if (job.state === 'running') turnOf(job).running += 1
      if (job.state !== 'queued') return
      const { waiting } = turnOf(job)
      const rank = rankOf(job)
      const jobs = waiting.get(rank) ?? new Map<Job, number>()
      waiting.set(rank, jobs.set(job, (count += 1)))
      wait(job, 1)
    },
    leave(job) {
      if (job.state !== 'running' && job.state !== 'queued') return
      const turn = turnOf(job)
      const { waiting } = turn
      if (job.state === 'running') turn.running -= 1
      else {
        const jobs = waiting.get(rankOf(job))
        if (jobs?.delete(job) === true) wait(job, -1)
        if (jobs?.size === 0) waiting.delete(rankOf(job))
      }
      if (waiting.size === 0 && turn.running === 0) turns.delete(`${job.lane} ${job.userId ?? ''}`)
    },
    next({ lanes: wanted, suspects, apart }) {
      let best:
        | { readonly id: string; readonly running: number; readonly place: number }
        | undefined
      for (const { lane, waiting, running } of turns.values()) {
        if (waiting.size === 0 || (wanted !== undefined && !wanted.includes(lane))) continue
        const found = firstOf(waiting, suspects, apart)
        if (found === undefined) continue
        const [{ id, userId, maxRunningPerUser: limit }, place] = found
        if (limit !== null && userId !== null && running >= limit) continue
        const isBetter =
          best === undefined ||
          running < best.running ||
          (running === best.running && place < best.place)
        if (isBetter) best = { id, running, place }
      }
      return best?.id
    },
  }
}

const rankOf = ({ crashes, priority }: Turning): number => (crashes > 0 ? SUSPECT : priority)

function firstOf<Job extends Turning>(
  waiting: Turn<Job>['waiting'],
  suspects: boolean | 'apart',
  apart: number | undefined,
): readonly [Job, number] | undefined {
  for (const rank of [...waiting.keys()].toSorted((a, b) => b - a)) {
    if (rank === SUSPECT && suspects === false) continue
    for (const found of waiting.get(rank) ?? [])
      if ((found[0].crashes === apart) === (suspects === 'apart')) return found
  }
  return undefined
}
