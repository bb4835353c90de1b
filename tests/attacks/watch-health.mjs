// A worker thread that asks a server for its health until it is told to stop: an honest client that the
// work of the test itself does not delay.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { url, pid } = workerData

/** Milliseconds that a thread was ready and another process had the processor; 0 where the system does not say. */
function waitedMs(thread) {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** MiB that the server occupies; 0 where the system does not say. */
function memory() {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return 0
  }
}

/** Processor time in milliseconds that this thread has had; 0 where the system does not say. */
function ranMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/** Processor time of `exercise` in milliseconds on the machine for which the limits were set. */
const USUAL = 18

/** What a server does most: makes objects, sorts them, writes and reads JSON. */
function exercise() {
  const rows = Array.from({ length: 12_000 }, (_, n) => ({
    id: (n * 7_919) % 12_000,
    name: `row ${n}`,
  }))
  rows.sort((one, other) => one.id - other.id)
  return JSON.parse(JSON.stringify(rows)).length
}

/** How many times slower than usual this machine is now, at least 1: shared processors vary by half and more. */
function slowness() {
  const times = Array.from({ length: 5 }, () => {
    const before = ranMs()
    exercise()
    return ranMs() - before
  })
  return Math.max(times.toSorted((one, other) => one - other)[2] / USUAL, 1)
}

const waited = () => waitedMs(`${pid}/task/${pid}`) + waitedMs('thread-self')

async function ask() {
  const begun = performance.now()
  const before = waited()
  const answer = await fetch(`${url}/health`)
  await answer.text()
  if (answer.status !== 200) throw new Error(`/health answered ${answer.status}`)
  const wall = performance.now() - begun
  return { wall, slowest: wall - (waited() - before) }
}

const state = { isOver: false }
const before = slowness()
parentPort.on('message', () => (state.isOver = true))
// The first answers warm the client up and do not count.
for (let n = 0; n < 5; n += 1) await ask()
parentPort.postMessage('ready', [])
const seen = { slowest: 0, wall: 0, highest: 0 }
while (!state.isOver) {
  const { wall, slowest } = await ask()
  seen.wall = Math.max(seen.wall, wall)
  seen.slowest = Math.max(seen.slowest, slowest)
  seen.highest = Math.max(seen.highest, memory())
  await sleep(20)
}
const factor = Math.max(before, slowness())
parentPort.postMessage({ ...seen, slowest: seen.slowest / factor }, [])
parentPort.close()
