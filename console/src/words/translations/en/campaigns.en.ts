import { en } from '../../english/en-campaigns.ts'

export const translation = en
