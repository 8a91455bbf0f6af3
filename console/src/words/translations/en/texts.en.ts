import { en } from '../../en.ts'

export const translation = en
