export { createPythonRunner, type PythonRunner } from './python/python-runner.ts'
export type { PythonRunnerOptions } from './python/runner-options.ts'
export { createCodeRunners } from './components/node/code-runners.ts'
