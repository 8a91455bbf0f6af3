import { en } from '../../english/en-webhooks.ts'

export const translation = en
