export type { TurnPart, TurnSource } from './parts/turn-part.ts'
export { turnParts } from './parts/turn-parts.ts'
