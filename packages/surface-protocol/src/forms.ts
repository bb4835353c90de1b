export { answerOf, type GivenAnswer } from './forms/answer-of.ts'
export type { QuestionLike } from './forms/question-like.ts'
export { questionSurface, type QuestionView } from './forms/question-surface.ts'
