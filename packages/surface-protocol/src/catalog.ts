export { isSurfaceError } from './errors.ts'
