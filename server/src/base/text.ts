export interface TextProblem {
  readonly code: string
  readonly message: string
}

/** PostgreSQL refuses U+0000 and would alter a lone surrogate. SQLite must not store what PostgreSQL cannot. */
export function textProblem(text: string): TextProblem | null {
  if (text.includes('\0')) return { code: 'nul_character', message: 'Must not contain U+0000.' }
  return text.isWellFormed() ? null : { code: 'lone_surrogate', message: 'Must not contain a lone surrogate.' }
}
