import { codesWords } from '../../words/codes-words.ts'

/** Codes are wanted, and their list is not chosen yet. */
export const NO_LIST = ''

/** The problem of a form whose author has not chosen a list. */
export const listProblem = (codeListId: string | null): { readonly codeListId?: string } =>
  codeListId === NO_LIST ? { codeListId: codesWords().needsList } : {}
