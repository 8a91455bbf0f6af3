import { en } from './en-poll-list.ts'

export const pollListWords = (): typeof en => en
