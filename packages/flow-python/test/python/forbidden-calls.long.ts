import { expect, test } from 'vitest'
import { missingNames } from '../../../flow-engine/src/components/node/missing-names.ts'
import { componentOf, run, runText, testRunner } from './python-runs.ts'

const runner = testRunner()

const IMPORTS = `import multiprocessing, os, select, shutil, signal, socket, socketserver, ssl, subprocess
from subprocess import PIPE, Popen, check_output
from pathlib import Path
`

test('FF-77: modules for processes, sockets and files can be imported, and the component runs', async () => {
  const code = componentOf('return [PIPE, socket.AF_INET.value, Path("/etc").name]', IMPORTS)
  expect(missingNames(code, new Set())).toBeUndefined()
  expect(await runText(runner, code)).toEqual([-1, 2, 'etc'])
})

const processes = /processes are not allowed here/
const network = /network access is not allowed/

test.each([
  ['subprocess.run(["ls"])', processes],
  ['subprocess.check_output("ls", shell=True)', processes],
  ['Popen(["ls"], stdout=PIPE)', processes],
  ['os.system("ls")', processes],
  ['os.popen("ls")', processes],
  ['os.fork()', processes],
  ['os.execv("/bin/ls", ["ls"])', processes],
  ['multiprocessing.Process(target=print).start()', processes],
  ['socket.create_connection(("127.0.0.1", 80), timeout=1)', network],
  ['socket.gethostbyname("host.example")', network],
  ['open("/etc/passwd").read()', /No such file or directory/],
])('FF-77: %s fails when it is called', async (expression, text) => {
  await expect(run(runner, `${IMPORTS}return ${expression}`)).rejects.toThrow(text)
})
