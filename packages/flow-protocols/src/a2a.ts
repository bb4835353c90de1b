export { createA2aHandler, type A2aOptions } from './a2a/create-a2a-handler.ts'
