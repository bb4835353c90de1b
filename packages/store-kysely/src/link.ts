export { type Engine } from './dialect.ts'
