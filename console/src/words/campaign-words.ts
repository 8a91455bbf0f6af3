import { en } from './en-campaigns.ts'

export const campaignWords = (): typeof en => en
