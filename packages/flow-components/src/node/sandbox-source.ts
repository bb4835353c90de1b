/**
 * The module that component code imports as `@x/flow-engine` inside the sandbox. It only creates descriptions
 * and has no behaviour of the host.
 */
export const sandboxModule = `
const described = (mark) => new Proxy({}, {
  get: (_, kind) => (options = {}) => ({ [mark]: String(kind), options }),
})
export const field = described('__field')
export const output = described('__output')
export const defineComponent = (definition) => ({ __component: definition })
export const createMessage = (init) =>
  ({ kind: 'message', ...(typeof init === 'string' ? { text: init } : init) })
export const createData = (data, options = {}) => ({ kind: 'data', data, ...options })
export const createDataFrame = (rows, columns) => ({ kind: 'dataframe', rows, columns })
`

/** Re-exports that module. */
const HELPERS = `export * from ${JSON.stringify('@x/flow-engine')}`

/** The helpers and the native components, as exported from `/components` in a host. */
export function sandboxComponentsModule(names: Iterable<string>): string {
  const natives = [...names].map(
    (name) => `export const ${name} = { __native: ${JSON.stringify(name)} }`,
  )
  return [HELPERS, ...natives].join('\n')
}

/** The same helpers under the entry points a host imports them from. */
export const sandboxGraphModule = `
${HELPERS}
export const isMessage = (value) => value?.kind === 'message'
export const isData = (value) => value?.kind === 'data'
export const isDataFrame = (value) => value?.kind === 'dataframe'
`

/** Runs in the sandbox: describes the component of a module, or runs one of its outputs. */
export const sandboxMain = `
const isMade = (value) =>
  Boolean(value && typeof value === 'object' && (value.__component || value.__native))
const component = (module) => {
  if (isMade(module.default)) return module.default
  const made = Object.values(module).filter(isMade)
  if (!('default' in module) && made.length === 1) return made[0]
  throw new Error('the code has no default export created by defineComponent')
}
const plain = (definition) => {
  const { inputs = {}, outputs = {}, prepare, refresh, toTools, ...facts } = definition
  const without = (options) =>
    Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value !== 'function'))
  const part = (mark) => ([name, one]) => {
    if (!one || !one[mark]) throw new Error(name + ' is not made by ' + mark.slice(2))
    return [name, { kind: one[mark], options: without(one.options) }]
  }
  return {
    facts: without(facts),
    inputs: Object.fromEntries(Object.entries(inputs).map(part('__field'))),
    outputs: Object.fromEntries(Object.entries(outputs).map(part('__output'))),
  }
}
const hex = () => Math.floor(Math.random() * 16).toString(16)
const runtime = {
  now: () => new Date(),
  uuid: () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, hex),
}
const context = (facts, calls) => {
  const note = (name) => (...args) => void calls.push([name, args])
  return {
    ...facts, runtime,
    get services() { throw new Error('custom code has no services: ctx.services is not offered') },
    state: new Map(), shared: new Map(), connected: new Set(facts.connected),
    log: note('log'), status: note('status'),
    stop: note('stop'), start: note('start'), exclude: note('exclude'), include: note('include'),
  }
}
const work = async (module, request) => {
  const made = component(module)
  if (made.__native) return { native: made.__native }
  const definition = made.__component
  if (request.kind === 'describe') return plain(definition)
  const calls = []
  const ctx = context(request.context, calls)
  if (definition.prepare) await definition.prepare(request.inputs, ctx)
  const value = await definition.outputs[request.output].options.run(request.inputs, ctx)
  return { value: value === undefined ? null : value, calls }
}
const text = (error) => String((error && error.message) || error)
const load = (name) => import(name)
load('component').then((module) => work(module, JSON.parse(__request))).then(
  (value) => __answer(JSON.stringify({ value })),
  (error) => __answer(JSON.stringify({ error: text(error) })),
)
`

/**
 * The worker thread around one sandbox, as source text, so that it works from sources and from a build. The
 * size of its WebAssembly memory bounds the interpreter; QuickJS's own limit is unreliable.
 */
export const workerSource = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { base, modules, main, request, pages } = workerData
const load = createRequire(base)
const { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } = load('quickjs-emscripten')

async function run() {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: pages })
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }))
  const runtime = quickjs.newRuntime()
  runtime.setMaxStackSize(512 * 1024)
  runtime.setModuleLoader((name) =>
    Object.hasOwn(modules, name)
      ? modules[name]
      : { error: new Error("Cannot find module '" + name + "'") },
  )
  const vm = runtime.newContext()
  let answer
  vm.newFunction('__answer', (handle) => {
    answer = vm.getString(handle)
  }).consume((handle) => vm.setProp(vm.global, '__answer', handle))
  vm.newString(request).consume((handle) => vm.setProp(vm.global, '__request', handle))
  const result = vm.evalCode(main, 'main.js')
  if (result.error) throw new Error(JSON.stringify(vm.dump(result.error)))
  while (answer === undefined && runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs()
    if (done.error) throw new Error(JSON.stringify(vm.dump(done.error)))
  }
  return answer ?? JSON.stringify({ error: 'the code waits for something that never comes' })
}

run().then(
  (answer) => parentPort.postMessage(answer),
  (error) => parentPort.postMessage(JSON.stringify({ error: String(error && error.message || error) })),
)
`
