// Every `ts` block of README and docs type-checks as a module of its own.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSource, root } from '../sources.mjs'

// Inside the work tree, so that the workspace's packages and types are found; removed at the end.
const SCRATCH = join(root, '.docs-check')
const BLOCK = /^```ts(?: +\w+)?\n([\s\S]*?)^```$/gm

/** What the compiler says, and how many blocks there are. */
export function checkCodeBlocks(pages) {
  const files = pages.flatMap((page) =>
    [...readSource(page).matchAll(BLOCK)].map((match) => {
      const line = readSource(page).slice(0, match.index).split('\n').length
      const [, code] = match
      return {
        name: `${page.replaceAll(/[/\\]/g, '_').replace(/\.md$/, '')}_${line}.ts`,
        code: /^(import|export)\b/m.test(code) ? code : `${code}\nexport {}\n`,
      }
    }),
  )
  rmSync(SCRATCH, { recursive: true, force: true })
  mkdirSync(SCRATCH, { recursive: true })
  try {
    for (const { name, code } of files) writeFileSync(join(SCRATCH, name), code)
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
