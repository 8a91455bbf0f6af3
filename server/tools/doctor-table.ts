import { REMEDIES } from '../src/cli/doctor/remedies.ts'
import { FINDINGS } from '../src/features/operator/findings.ts'
import { markdownTable } from './made-text.ts'

/** Programs and settings as code; a value that only the doctor knows is left open. */
const inGuide = (advice: string): string =>
  advice
    .replaceAll(/\b(tossup (?:doctor --fix|help settings|restore|migrate|backup|verify|storage move))/g, '`$1`')
    .replaceAll(/\{\w+\}/g, '…')

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Findings of the doctor, in the order in which it looks, and those of the operator's page. */
export function doctorTable(): string {
  const own = Object.values(REMEDIES).map(({ part, about, advice }) => [part, capital(about), inGuide(advice)])
  const shown = Object.values(FINDINGS).map(({ about, advice }) => [
    'service',
    capital(about.replace(/\.$/, '')),
    inGuide(advice),
  ])
  return markdownTable(['part', 'finding', 'remedy'], [...own, ...shown])
}
