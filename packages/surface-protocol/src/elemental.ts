export { elemental } from './llm/elemental/elemental.ts'
