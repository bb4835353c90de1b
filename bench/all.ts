import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { Figure } from './lib/report.ts'

// OP-21: runs every bench, one after another, and writes their figures into one page. With `--from` it reads
// what earlier runs printed instead.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    out: { type: 'string', default: 'docs/performance.md' },
    /** Files of what benches printed, separated by commas. */
    from: { type: 'string', default: '' },
    /** The commit that was measured; HEAD by default. */
    commit: { type: 'string', default: 'HEAD' },
  },
})

/** The line of JSON with which a bench ends. */
interface Result {
  readonly bench: string
  readonly figures: readonly (Figure & { readonly ok: boolean })[]
}

const root = new URL('../', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
const partsOf = (text: string): string[] => text.split(',').filter((part) => part !== '')
const wanted = partsOf(values.only)
const files = partsOf(values.from)
const names = Object.keys(scripts)
  .filter((name) => name.startsWith('bench:'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.slice('bench:'.length)))

const load = [busiest()]
const results: Result[] = []
const silent: string[] = []
for (const file of files) results.push(...resultsIn(readFileSync(file, 'utf8')))
for (const name of files.length === 0 ? names : []) {
  console.log(`\n${name}`)
  const found = await resultsOf(name)
  load.push(busiest())
  results.push(...found)
  if (found.length === 0) silent.push(name)
}
if (results.length === 0) throw new Error('No bench has printed a figure')
writeFileSync(new URL(values.out, root), page())
console.log(`\n${values.out}: ${results.length} tables`)
if (silent.length > 0) {
  console.error(`Without figures: ${silent.join(', ')}`)
  process.exitCode = 1
}

/** Processes that wait for a processor, for each of them, before a bench begins. */
function busiest(): number {
  return (loadavg()[0] ?? 0) / cpus().length
}

async function resultsOf(name: string): Promise<Result[]> {
  const child = spawn('npm', ['run', '-s', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    process.stdout.write(chunk as Buffer)
  }
  return resultsIn(output)
}

function resultsIn(output: string): Result[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"bench":'))
    .map((line) => JSON.parse(line) as Result)
}

function page(): string {
  const first = load[0] ?? 0
  // Each bench keeps about one processor busy, and leaves its load behind for a minute.
  const isBusy = first > 0.25 || load.some((one) => one > 1.5)
  const missed = results.flatMap(({ figures }) => figures).filter(({ ok }) => !ok).length
  const model = cpus()[0]?.model ?? 'unknown'
  const commit = execFileSync('git', ['rev-parse', '--short', values.commit], { cwd: root })
    .toString()
    .trim()
  const facts = [
    ['date', new Date().toISOString().slice(0, 10)],
    ['commit', commit],
    ['machine', `${cpus().length} x ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['node', process.version],
    ['figures that miss their limit', String(missed)],
    [
      'load for each processor, before the first bench and at most',
      `${first.toFixed(2)}, ${Math.max(...load).toFixed(2)}`,
    ],
  ]
  return `# Performance

Written by \`npm run bench\`; not edited by hand. Each figure with a limit is a ratio of two things that ran side by
side in one run. [What is measured and why](../bench/README.md).
${isBusy ? '\n**The machine was busy with other work: single figures say little, ratios less than usual.**\n' : ''}
${table([['', ''], ...facts])}
${results.map(({ bench, figures }) => `\n## ${bench}\n\n${table([['', 'measured', 'limit', '', ''], ...figures.map(row)])}`).join('\n')}
`
}

function row({
  name,
  value,
  unit,
  limit,
  better,
  ok,
  note = '',
}: Result['figures'][number]): string[] {
  const bound = limit === undefined ? '' : `${better === 'higher' ? '>=' : '<='} ${limit}`
  return [
    name,
    `${value} ${unit}`.trim(),
    bound,
    limit === undefined ? '' : ok ? 'ok' : 'missed',
    note,
  ]
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
