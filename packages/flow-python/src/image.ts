import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { limitMemory } from './limit-memory.ts'
import { offeredNames } from '@x/flow-engine/internal'
import { readGuestFiles, readPyodide, type GuestFiles, type PyodideFiles } from './python-files.ts'
import type { SnapshotPart, WorkerStart } from './worker-messages.ts'

/** Everything needed to start interpreters; shared by all of them. */
export interface Image {
  readonly worker: string
  readonly start: Omit<WorkerStart, 'signal'>
  /** Version of the interpreter and library; class descriptions stay valid until it changes. */
  readonly version: string
}

export interface ImageOptions {
  readonly memoryMb: number
  readonly outputBytes: number
  /** Additional Python modules: source by name. */
  readonly modules: Readonly<Record<string, string>>
  /** Modules from the operator's wheels: source by path. They replace the package's own. */
  readonly wheels: Readonly<Record<string, string>>
  /** Folder for the snapshot. Without it, each process makes its own. */
  readonly cacheDir: string | undefined
}

const PAGES_PER_MB = 16

/** Modules that cannot be imported: they escape the sandbox or are for testing the interpreter. */
const FORBIDDEN =
  `js pyodide pyodide_js _pyodide _pyodide_core micropip ctypes _ctypes _testcapi _testinternalcapi
  _testlimitedcapi _testbuffer _testclinic _testclinic_limited _xxtestfuzz _remote_debugging`
    .trim()
    .split(/\s+/)

/** Commonly used modules, imported before the snapshot is taken. */
const PRELOAD =
  `abc argparse ast asyncio base64 collections concurrent.futures contextlib copy csv dataclasses
  datetime decimal difflib email enum functools glob hashlib heapq hmac html inspect io itertools json
  logging math mimetypes multiprocessing operator os pathlib pprint queue random re shutil socket
  statistics string subprocess tempfile textwrap threading time traceback types typing unicodedata
  urllib.parse urllib.request uuid warnings zipfile zoneinfo _flow.job _flow.names _flow.handles
  pandas requests requests.auth requests.adapters httpx pydantic.v1 _flow.offered`
    .trim()
    .split(/\s+/)

/**
 * Reads Pyodide and takes the memory snapshot that interpreters start from, or loads a cached one.
 * @throws TypeError when Pyodide is missing
 */
export async function createImage(options: ImageOptions): Promise<Image> {
  const [pyodide, guest] = [readPyodide(), readGuestFiles()]
  const library = withWheels(guest.library, {
    ...options.wheels,
    ...modulesAsFiles(options.modules),
  })
  const version = versionOf(pyodide, { ...guest, library })
  const binary = limitMemory(pyodide.binary, options.memoryMb * PAGES_PER_MB)
  const module = await compileModule(binary)
  const common = {
    realm: guest.realm,
    asm: pyodide.glue,
    module,
    files: {
      stdlib: shared(pyodide.library),
      prepare: bytes(guest.prepare),
      main: bytes(guest.main),
    },
  }
  const limits = {
    outputBytes: options.outputBytes,
    messages: 50_000,
    messageBytes: 64 * 1024 * 1024,
  }
  const made = await loadOrCreate(options.cacheDir, version, () =>
    makeSnapshot(guest.worker, {
      ...common,
      parts: [],
      asmCache: undefined,
      input: JSON.stringify({
        library,
        preload: PRELOAD,
        forbidden: FORBIDDEN,
        offered: offeredNames,
      }),
      limits: { ...limits, make: true },
    }),
  )
  const files = { ...common.files, snapshot: shared(made.memory) }
  const start = {
    ...common,
    files,
    parts: filledParts(made.memory),
    asmCache: made.code,
    input: '',
    limits: { ...limits, make: false },
  }
  return { worker: guest.worker, version, start }
}

/** Accesses WebAssembly by reflection because the workspace's types do not declare it. */
function compileModule(binary: Uint8Array): Promise<object> {
  const platform = Reflect.get(globalThis, 'WebAssembly') as {
    compile(bytes: Uint8Array): Promise<object>
  }
  return platform.compile(binary)
}

/** An operator's package replaces the package of the same name as a whole. */
function withWheels(
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): Record<string, string> {
  const top = (path: string): string => path.replace(/(\/.*|\.py)$/, '')
  const replaced = new Set(Object.keys(theirs).map(top))
  const kept = Object.entries(ours).filter(([path]) => !replaced.has(top(path)))
  return { ...Object.fromEntries(kept), ...theirs }
}

function modulesAsFiles(modules: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(modules).map(([name, text]) => [`${name.replaceAll('.', '/')}.py`, text]),
  )
}

function versionOf({ version }: PyodideFiles, guest: GuestFiles): string {
  const parts = JSON.stringify([
    version,
    process.versions.v8,
    process.arch,
    guest,
    PRELOAD,
    offeredNames,
  ])
  return createHash('sha256').update(parts).digest('hex').slice(0, 24)
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const PAGE = 4096

/** Returns the non-empty parts of a memory, about two fifths of it. */
function filledParts(memory: Uint8Array): SnapshotPart[] {
  const parts: [number, number][] = []
  for (let from = 0; from < memory.length; from += PAGE) {
    const to = Math.min(from + PAGE, memory.length)
    if (!memory.subarray(from, to).some((byte) => byte !== 0)) continue
    const last = parts.at(-1)
    if (last?.[1] === from) last[1] = to
    else parts.push([from, to])
  }
  return parts
}

/** Copies bytes to shared memory, so that threads read them without copying. */
function shared(given: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(given.length))
  copy.set(given)
  return copy
}

interface Snapshot {
  readonly memory: Uint8Array
  readonly code: Uint8Array
}

function makeSnapshot(worker: string, start: Omit<WorkerStart, 'signal'>): Promise<Snapshot> {
  const thread = new Worker(worker, {
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    workerData: { ...start, signal: new SharedArrayBuffer(4) } satisfies WorkerStart,
  })
  return new Promise<Snapshot>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The Python interpreter did not start')))
  }).finally(() => void thread.terminate())
}

const DIGEST = 32

/** Loads the snapshot from its file or makes it. File format: digest, memory length, memory, code. */
async function loadOrCreate(
  folder: string | undefined,
  version: string,
  make: () => Promise<Snapshot>,
): Promise<Snapshot> {
  if (folder === undefined) return make()
  const path = join(folder, `python-${version}.bin`)
  const kept = await readKept(path)
  if (kept !== undefined) return kept
  const made = await make()
  await keep(folder, path, made).catch(() => undefined)
  return made
}

async function readKept(path: string): Promise<Snapshot | undefined> {
  const file = await readFile(path).catch(() => undefined)
  if (file === undefined || file.length < DIGEST + 4) return undefined
  const body = file.subarray(DIGEST)
  const digest = createHash('sha256').update(body).digest()
  if (!digest.equals(file.subarray(0, DIGEST))) return undefined
  const length = body.readUInt32LE(0)
  return { memory: body.subarray(4, 4 + length), code: body.subarray(4 + length) }
}

/** Writes a temporary file and renames it into place, then removes the files of other versions. */
async function keep(folder: string, path: string, { memory, code }: Snapshot): Promise<void> {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(memory.length)
  const body = Buffer.concat([length, memory, code])
  await mkdir(folder, { recursive: true })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, [createHash('sha256').update(body).digest(), body])
  const others = (await readdir(folder)).filter((name) => /^python-[0-9a-f]+\.bin$/.test(name))
  await rename(draft, path)
  await Promise.all(
    others.filter((name) => !path.endsWith(name)).map((name) => rm(join(folder, name))),
  )
}
