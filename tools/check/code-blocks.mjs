// Every `ts` block of README and docs type-checks as a module of its own. Those of a page that names their files
// import each other.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FILE } from '../follow-page.mjs'
import { readSource, root } from '../sources.mjs'

// Inside the work tree, so that the workspace's packages and types are found; removed at the end.
const SCRATCH = join(root, '.docs-check')
const BLOCK = /^```ts(?: +\w+)?\n([\s\S]*?)^```$/gm

/** What the compiler says, and how many blocks there are. */
export function checkCodeBlocks(pages) {
  const files = pages.flatMap((page) => {
    const text = readSource(page)
    const base = page.replaceAll(/[/\\]/g, '_').replace(/\.md$/, '')
    const named = new Map(
      [...text.matchAll(FILE)].map(({ 0: all, 1: path, index }) => [
        index + all.indexOf('```'),
        path,
      ]),
    )
    return [...text.matchAll(BLOCK)].map(({ 1: code, index }) => {
      const path = named.get(index)?.replace(/\.mjs$/, '.mts')
      const line = text.slice(0, index).split('\n').length
      return {
        name: path === undefined ? `${base}_${line}.ts` : `${base}/${path}`,
        code: /^(import|export)\b/m.test(code) ? code : `${code}\nexport {}\n`,
      }
    })
  })
  rmSync(SCRATCH, { recursive: true, force: true })
  mkdirSync(SCRATCH, { recursive: true })
  try {
    for (const { name, code } of files) {
      mkdirSync(dirname(join(SCRATCH, name)), { recursive: true })
      writeFileSync(join(SCRATCH, name), code)
    }
    const config = {
      extends: '../tsconfig.base.json',
      compilerOptions: { noUnusedLocals: false, types: ['node'] },
      files: files.map(({ name }) => name),
    }
    writeFileSync(join(SCRATCH, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
    if (files.length > 0)
      execFileSync(process.execPath, [compiler, '-p', SCRATCH], {
        cwd: root,
        encoding: 'utf8',
        stdio: 'pipe',
      })
    return { problems: [], count: files.length }
  } catch (error) {
    return { problems: [String(error.stdout ?? error).trim()], count: files.length }
  } finally {
    rmSync(SCRATCH, { recursive: true, force: true })
  }
}
