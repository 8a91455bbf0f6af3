import { en } from '../../english/en-service.ts'

export const translation = en
