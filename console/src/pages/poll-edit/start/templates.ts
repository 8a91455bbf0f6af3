import { templateWords } from '../../../words/template-words.ts'
import { NEW_DRAFT, type PollDraft } from '../poll-draft.ts'

/** The settings of each template, beside its texts. */
const SETTINGS = {
  next: {},
  design: { optionOrder: 'random', resultsVisibility: 'after_vote' },
  feedback: { resultsVisibility: 'never' },
  date: { resultsVisibility: 'after_vote' },
  guess: { resultsVisibility: 'after_vote' },
  room: {},
} as const satisfies Readonly<Record<string, Partial<PollDraft>>>

export type TemplateName = keyof typeof SETTINGS

export const TEMPLATES = Object.keys(SETTINGS) as TemplateName[]

/** Null for a name that no template has: addresses are typed. */
export function templateDraft(name: unknown): PollDraft | null {
  const known = TEMPLATES.find((each) => each === name)
  if (!known) return null
  const { title, a, b } = templateWords().templates[known]
  const option = (label: string) => ({ ...NEW_DRAFT.optionA, label })
  return { ...NEW_DRAFT, ...SETTINGS[known], title, optionA: option(a), optionB: option(b) }
}
