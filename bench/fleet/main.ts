import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { interleave, ratio } from '../lib/measure.ts'
import { report } from '../lib/report.ts'
import { candidates } from './candidates.ts'

/** A durable run of three steps, beside those whom one would take otherwise. CPU of the process and of its database. */
const RUNS = 200
const AT_ONCE = 16
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const PEERS = { '@dbos-inc/dbos-sdk': '5.3.0', 'pg-boss': '12.38.0' }
const SERVER = process.env['BENCH_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** CPU of one round, in microseconds for each run. */
interface Round {
  readonly node: number
  readonly postgres: number
}

const work = process.env['BENCH_CANDIDATE']
if (work === undefined) await compare()
else await serve(work)

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'x-bench-fleet-'))
  const peers = process.env['BENCH_PEERS'] ?? join(import.meta.dirname, '..', 'fleet', 'peers')
  install(peers)
  const admin = new Client({ connectionString: SERVER })
  await admin.connect()
  const parts: Record<string, Round[]> = {}
  const children: ChildProcess[] = []
  const bases: string[] = []
  const rounds: Record<string, () => Promise<number>> = {}
  for (const name of Object.keys(candidates)) {
    const base = `x_bench_${process.pid}_${bases.length}`
    let address = join(folder, 'bench.db')
    if (name !== 'sqlite') {
      await admin.query(`create database ${base}`)
      bases.push(base)
      const url = new URL(SERVER)
      url.pathname = `/${base}`
      address = url.href
    }
    const environment = { BENCH_CANDIDATE: name, BENCH_ADDRESS: address, BENCH_PEERS: peers }
    const child = fork(process.argv[1] ?? '', process.argv.slice(2), {
      env: { ...process.env, ...environment },
    })
    children.push(child)
    await answerOf(child)
    rounds[name] = async () => {
      const before = name === 'sqlite' ? 0 : await backends(admin, base)
      child.send('round')
      const node = await answerOf(child)
      const postgres = name === 'sqlite' ? 0 : (await backends(admin, base)) - before
      ;(parts[name] ??= []).push({ node: node / RUNS, postgres: postgres / RUNS })
      return (node + postgres) / RUNS
    }
  }
  const measured = await interleave(rounds, { rounds: ROUNDS, warmUp: 2 })
  for (const child of children) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.send('end')
    await ended
  }
  for (const base of bases) await admin.query(`drop database ${base} with (force)`)
  await admin.end()
  rmSync(folder, { recursive: true, force: true })
  const middle = (name: string, side: keyof Round): number => {
    const sorted = (parts[name] ?? []).slice(2).map((one) => one[side])
    return sorted.toSorted((a, b) => a - b)[Math.floor(sorted.length / 2)] ?? NaN
  }
  report('fleet', [
    {
      name: 'a durable run of three steps on PostgreSQL, over a DBOS workflow of three steps',
      value: ratio(measured, 'ours', 'dbos'),
      unit: 'x',
      limit: 1,
      note: 'CPU of Node and PostgreSQL together',
    },
    {
      name: 'its part in PostgreSQL, over that of DBOS',
      value: middle('ours', 'postgres') / middle('dbos', 'postgres'),
      unit: 'x',
      limit: 0.7,
    },
    {
      name: 'the same run, over a pg-boss job without steps',
      value: ratio(measured, 'ours', 'pg-boss'),
      unit: 'x',
      limit: 1.5,
      note: 'the job has no steps, no log and no result',
    },
    {
      name: 'the same on SQLite in one process, over PostgreSQL',
      value: ratio(measured, 'sqlite', 'ours'),
      unit: 'x',
      limit: 0.5,
    },
    ...Object.keys(candidates).flatMap((name) => [
      { name: `${name}: Node`, value: middle(name, 'node'), unit: 'us' },
      ...(name === 'sqlite'
        ? []
        : [{ name: `${name}: PostgreSQL`, value: middle(name, 'postgres'), unit: 'us' }]),
    ]),
  ])
}

/** Runs rounds when told to and answers with the CPU that each has taken. */
async function serve(name: string): Promise<void> {
  const { BENCH_ADDRESS: address = '', BENCH_PEERS: peers = '' } = process.env
  const worker = await candidates[name]?.({ address, peers })
  if (worker === undefined) throw new Error(`No candidate is called ${name}`)
  const round = async (): Promise<void> => {
    const before = process.cpuUsage()
    let left = RUNS
    const next = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        await worker.run()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
    const { user, system } = process.cpuUsage(before)
    process.send?.(user + system)
  }
  process.on('message', (message) => {
    if (message === 'round') void round()
    else void worker.close().then(() => process.disconnect())
  })
  process.send?.(0)
}

function answerOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (cpu) => resolve(Number(cpu)))
    child.once('exit', (code) => reject(new Error(`A candidate has ended with ${code}`)))
  })
}

/** The CPU that the living backends of a database have taken, in microseconds. */
async function backends(admin: Client, base: string): Promise<number> {
  const { rows } = await admin.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = $1',
    [base],
  )
  return rows.reduce((sum, { pid }) => sum + cpuOfProcess(pid), 0)
}

/** Linux: the sum of user and system time, in ticks of 10 ms. */
function cpuOfProcess(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** The peers are no dependencies of the workspace. */
function install(folder: string): void {
  if (Object.keys(PEERS).every((name) => existsSync(join(folder, 'node_modules', name)))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
  const wanted = Object.entries(PEERS).map(([name, version]) => `${name}@${version}`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...wanted], {
    cwd: folder,
    stdio: 'inherit',
  })
}
