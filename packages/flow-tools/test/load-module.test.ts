import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MODULE_HOOKS } from '../src/command/module-hooks.ts'
import { inFolder } from './run-cli.ts'

const components = createRequire(import.meta.url).resolve('@x/flow-components/package.json')
const PARSER = pathToFileURL(createRequire(components).resolve('@swc/wasm-typescript')).href
const HOOKS = `data:text/javascript,${encodeURIComponent(MODULE_HOOKS.replace('PARSER', JSON.stringify(PARSER)))}`

/** What Node prints of the default export of a module that is loaded by the hooks alone. */
async function loaded(cwd: string, path: string): Promise<string> {
  const script = `
    import { register } from 'node:module'
    import { MessageChannel } from 'node:worker_threads'
    const { port1, port2 } = new MessageChannel()
    const files = []
    port1.on('message', (file) => files.push(file))
    port1.unref()
    register(${JSON.stringify(HOOKS)}, { data: port2, transferList: [port2] })
    const load = (mark) => import(${JSON.stringify(pathToFileURL(join(cwd, path)).href)} + '?x-flow=' + mark)
    try {
      const { default: value } = await load(1)
      const { default: again } = await load(2)
      console.log(JSON.stringify({ value, isNew: value !== again, files: files.length > 0 }))
    } catch (error) {
      console.log(error.message)
    }
  `
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { cwd },
  )
  return stdout.trim()
}

test(
  'FC-9 FC-81 Node loads TypeScript, modules by .ts and .js, and JSON, each time anew',
  { tags: ['long'] },
  async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'deep'))
      await writeFile(join(cwd, 'package.json'), '{}')
      await writeFile(join(cwd, 'data.json'), '{ "__proto__": 1, "a": 2 }')
      await writeFile(join(cwd, 'deep/b.ts'), `export const b: number = 3\n`)
      await writeFile(join(cwd, 'deep/c.mjs'), `export const c = 4\n`)
      await writeFile(
        join(cwd, 'a.flow.ts'),
        `import data from './data.json' with { type: 'json' }\n` +
          `import { b } from './deep/b.js'\nimport { b as same } from './deep/b.ts'\n` +
          `import { c } from './deep/c.mjs'\nimport { sep } from 'node:path'\n` +
          `const all: object = { data, b, same, c, sep: sep as string }\nexport default all\n`,
      )
      expect(JSON.parse(await loaded(cwd, 'a.flow.ts'))).toMatchObject({
        value: { data: { a: 2 }, b: 3, same: 3, c: 4 },
        isNew: true,
        files: true,
      })
      await writeFile(join(cwd, 'deep/b.ts'), `\n\n  enum B { b }\nexport const b = B.b\n`)
      const place = `${pathToFileURL(join(cwd, 'deep/b.ts')).href}:3:3 `
      expect(await loaded(cwd, 'a.flow.ts')).toContain(`${place}TypeScript enum is not supported`)
    })
  },
)
