import { en } from '../../en-webhooks.ts'

export const translation = en
