// Bundles the page of the directory portal into packages/directory-portal/src/page/built.ts, from which the
// handler serves it in every runtime. With --check it only compares, and fails when the file is not up to date.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { format } from 'oxfmt'
import { root } from './sources.mjs'

const folder = join(root, 'packages/directory-portal')
const target = join(folder, 'src/page/built.ts')

const hashed = (name, ending, body) => ({
  name: `${name}-${createHash('sha256').update(body).digest('hex').slice(0, 10)}.${ending}`,
  body,
})

const bundle = async (entry, options) => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    minify: true,
    write: false,
    target: 'es2022',
    format: 'esm',
    charset: 'utf8',
    logLevel: 'error',
    ...options,
  })
  return outputFiles[0].text.trim()
}

const source = await bundle('src/words/words.ts', { minify: false, format: 'esm' })
const { WORDS } = await import(
  `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
)
const words = [...WORDS].map(([language, { ui, outcomes, reasons }]) => ({
  language,
  ...hashed(`words-${language}`, 'json', JSON.stringify({ ui, outcomes, reasons })),
}))
const style = hashed('page', 'css', await bundle('browser/page.css', {}))
const files = Object.fromEntries(words.map(({ language, name }) => [language, name]))
const script = hashed(
  'page',
  'js',
  await bundle('browser/main.ts', {
    define: { WORD_FILES: JSON.stringify(files), STYLE_FILE: JSON.stringify(style.name) },
  }),
)

const text = `// Written by \`node tools/build-portal-page.mjs\`.

/** The files of the page, with a hash of their contents in their names. */
export const BUILT: {
  readonly script: BuiltFile
  readonly style: BuiltFile
  readonly words: readonly BuiltFile[]
} = ${JSON.stringify({ script, style, words: words.map(({ name, body }) => ({ name, body })) })}

interface BuiltFile {
  readonly name: string
  readonly body: string
}
`
const settings = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'))
const { code: written } = await format(target, text, settings)
if (!process.argv.includes('--check')) writeFileSync(target, written)
else if (readFileSync(target, 'utf8') !== written) {
  console.error('The page of the portal is not up to date: run node tools/build-portal-page.mjs')
  process.exit(1)
}
