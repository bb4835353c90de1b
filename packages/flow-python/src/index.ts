export { createPythonRunner, type PythonRunner } from './python-runner.ts'
export type { PythonRunnerOptions } from './runner-options.ts'
