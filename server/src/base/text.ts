export interface TextProblem {
  readonly code: string
  readonly message: string
}

/** PostgreSQL refuses U+0000 and would change a lone surrogate; SQLite must not keep what PostgreSQL cannot. */
export function textProblem(text: string): TextProblem | null {
  if (text.includes('\0')) return { code: 'nul_character', message: 'U+0000 is refused.' }
  return text.isWellFormed() ? null : { code: 'lone_surrogate', message: 'A lone surrogate is refused.' }
}
