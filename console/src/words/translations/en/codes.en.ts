import { en } from '../../english/en-codes.ts'

export const translation = en
