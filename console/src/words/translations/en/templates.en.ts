import { en } from '../../english/en-templates.ts'

export const translation = en
