// Follows docs/guides/scim-own-tables.md word by word, with the packed packages in the place of published
// ones: its commands in a new folder, its files, its server, and its requests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, shell, withServer } from './follow-page.mjs'
import { root } from './sources.mjs'

const GUIDE = 'docs/guides/scim-own-tables.md'

/** `tarballs` gives the path of the tarball of each package. Throws when a command of the guide fails. */
export async function followGuide(scratch, tarballs) {
  const folder = join(scratch, 'guide')
  mkdirSync(folder)
  const port = await freePort()
  const text = readFileSync(join(root, GUIDE), 'utf8').replaceAll('3000', String(port))
  const [install, start, requests] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code)
  for (const [, name, code] of text.matchAll(/The file `([\w.]+)`.*?```ts[^\n]*\n(.*?)```/gs)) {
    writeFileSync(join(folder, name), code)
  }
  const packed = Object.entries(tarballs).reduce(
    (command, [name, file]) => command.replaceAll(name, file),
    install,
  )
  shell(
    folder,
    packed.replaceAll('npm install', 'npm install --no-audit --no-fund --prefer-offline'),
  )

  await withServer(start, folder, port, () => {
    const answers = shell(folder, requests).replaceAll('}{', '}\n{').trim().split('\n')
    const [user, byName, byId, group, groups] = answers.map((answer) => JSON.parse(answer))
    const expected = [byName.Resources[0].id, byId.Resources[0].id].every((id) => id === user.id)
    if (!expected || groups.Resources[0].id !== group.id) throw new Error(answers.join('\n'))
  })
}
