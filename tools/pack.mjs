// Packs the built packages as they are published: the manifest without the entries that only this
// workspace uses. `node tools/pack.mjs FOLDER` writes the tarballs into a folder.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './sources.mjs'

const SOURCE = /^@[^/]+\/source$/

/** A manifest for the registry: no scripts, no development dependencies, no entries of sources. */
export function publishedManifest({ scripts: _scripts, devDependencies: _dev, ...manifest }) {
  return JSON.parse(JSON.stringify(manifest), (_key, value) =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).filter(([name]) => !SOURCE.test(name))),
  )
}

/** Tarballs of all packages in `out`: manifest, folder of the package, and the path of each. */
export function packAll(out) {
  mkdirSync(out, { recursive: true })
  return readdirSync(join(root, 'packages')).map((name) => {
    const folder = join(root, 'packages', name)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const stage = mkdtempSync(join(tmpdir(), 'x-pack-'))
    try {
      for (const path of [...manifest.files, 'README.md', 'LICENSE']) {
        cpSync(join(folder, path), join(stage, path), { recursive: true })
      }
      const published = publishedManifest(manifest)
      writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
      const [packed] = JSON.parse(
        execFileSync('npm', ['pack', '--json', '--pack-destination', resolve(out)], {
          cwd: stage,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      )
      return { folder, manifest, file: packed.filename, bytes: packed.size }
    } finally {
      rmSync(stage, { recursive: true, force: true })
    }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [out] = process.argv.slice(2)
  if (out === undefined) throw new Error('Name the folder for the tarballs.')
  for (const { file, bytes } of packAll(out)) console.log(`${file}  ${Math.ceil(bytes / 1000)} kB`)
}
