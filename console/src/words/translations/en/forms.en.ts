import { en } from '../../english/en-forms.ts'

export const translation = en
