export { createTestRuntime, type TestRuntime } from '@x/wire'
export { createScimClient, type ScimClient, type ScimAnswer } from './testing/client.ts'
