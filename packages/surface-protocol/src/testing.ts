export { createTestRuntime, type TestRuntime } from '@x/wire'
export { formatTree } from './build/format-tree.ts'
export { generateSurface } from './build/generate-surface.ts'
