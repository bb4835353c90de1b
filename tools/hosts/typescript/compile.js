// Compiles the examples of the READMEs in each mode of TypeScript that hosts use.
const { spawnSync } = require('node:child_process')
const { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const { version } = require('typescript')
const STRICT = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
const MODES = [
  { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
  { module: 'node16', moduleResolution: 'node16', type: 'module' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'commonjs' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'module' },
  { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
]
if (version.startsWith('5.')) {
  MODES.push({ module: 'commonjs', moduleResolution: 'node10', skipLibCheck: true })
} else {
  MODES.push({ module: 'commonjs', moduleResolution: 'bundler' })
}

const examples = []
for (const name of readdirSync('node_modules/@x')) {
  const readme = readFileSync(join('node_modules/@x', name, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  for (const [index, code] of blocks.entries()) {
    // Awaiting at the top level is for ES modules; elsewhere it stands in a function.
    const imports = code.match(/^import [\s\S]*? from .*$/gm) ?? []
    const body = imports.reduce((rest, one) => rest.replace(one, ''), code)
    const whole = /^(?:const|let|.*= )?.*\bawait\b/m.test(body) && !/^export/m.test(body)
    const text = whole ? `${imports.join('\n')}\nexport async function main() {\n${body}}\n` : code
    examples.push([`${name}-${index}.ts`, text])
  }
}

for (const { type = 'commonjs', ...options } of MODES) {
  const title = `HO-3 ${options.module}/${options.moduleResolution} (${type})`
  rmSync('app', { recursive: true, force: true })
  mkdirSync('app')
  for (const [file, code] of examples) writeFileSync(join('app', file), code)
  writeFileSync('app/package.json', JSON.stringify({ type }))
  const compilerOptions = {
    ...STRICT,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    ...options,
  }
  writeFileSync('app/tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', 'app'], { encoding: 'utf8' })
  console.log(`${title}: ${status === 0 ? 'compiles' : stdout}`)
  if (status !== 0) process.exitCode = 1
}
