import { en } from '../../en-campaigns.ts'

export const translation = en
