import { en } from '../../en-service.ts'

export const translation = en
