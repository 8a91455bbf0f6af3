import { en } from '../../english/en-results.ts'

export const translation = en
