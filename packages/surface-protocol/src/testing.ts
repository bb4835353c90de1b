export { createTestRuntime, type TestRuntime } from '@x/wire'
