import { en } from './en-webhooks.ts'

export const webhookWords = (): typeof en => en
