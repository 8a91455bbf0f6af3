import { en } from '../../english/en-account.ts'

export const translation = en
