export { createTestRuntime, type TestRuntime } from '@x/wire'
export { formatTree } from './testing/format-tree.ts'
export { generateSurface } from './testing/generate-surface.ts'
