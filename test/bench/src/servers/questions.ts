import { postBytes, type Question } from '../load/question.ts'
import { checkAnswer, toQuestion } from './flags.ts'

/** Enough that no server sees the same again soon; the bytes stay in the processor's cache. */
export const questionCount = 300

export const evaluationPath = '/evaluate/v1/boolean'

/** Authenticated evaluations of a boolean flag, each of another entity. */
export function makeQuestions(flagKey: string, token: string): readonly Question[] {
  return Array.from({ length: questionCount }, (_, number) => {
    const question = toQuestion(flagKey, number)
    return {
      bytes: postBytes(evaluationPath, token, question),
      check: (body) => checkAnswer(question, JSON.parse(body)),
    }
  })
}
