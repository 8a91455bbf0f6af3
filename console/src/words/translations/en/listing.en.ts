import { en } from '../../english/en-listing.ts'

export const translation = en
