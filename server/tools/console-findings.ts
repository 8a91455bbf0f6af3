import { FINDINGS } from '../src/features/operator/findings.ts'

/** The file of the console that has the English words of the findings. */
export const consoleFindingsFile = new URL('../../console/src/words/finding-words.ts', import.meta.url)

export const consoleFindings =
  (): string => `// Made by \`npm run facts\` from server/src/features/operator/findings.ts.
export const findingWords = {
${Object.entries(FINDINGS)
  .flatMap(([code, { title, advice }]) => [
    `  finding_${code}: ${JSON.stringify(title)},`,
    `  advice_${code}: ${JSON.stringify(advice)},`,
  ])
  .join('\n')}
}
`
