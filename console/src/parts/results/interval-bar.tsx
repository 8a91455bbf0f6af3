import type { Insight } from '../../../../embed/src/insight/verdict.ts'
import { sharesIn } from '../../../../embed/src/results.ts'
import { language } from '../../words/words.ts'
import './add-result-styles.ts'

const SLIVER = 3

interface BarProps {
  readonly sides: { readonly optionA: number; readonly optionB: number }
  readonly insight: Pick<Insight, 'low' | 'high'>
  readonly isSmall?: boolean
}

/** The split as a bar, with the interval of the first answer as a bracket over it. Words beside it say the same. */
export function IntervalBar({ sides, insight: { low, high }, isSmall = false }: BarProps) {
  const { A, B } = sharesIn(language.lang, sides)
  return (
    <div className={isSmall ? 'interval-bar small' : 'interval-bar'} aria-hidden="true">
      <div className="split-bar" style={sides.optionA + sides.optionB === 0 ? { background: 'var(--line)' } : {}}>
        <div className="split-a" style={{ width: `${A.length}%`, minWidth: A.length && SLIVER }} />
        <div className="split-b" style={B.length ? { minWidth: SLIVER } : { display: 'none' }} />
      </div>
      {low !== null && high !== null && (
        <div className="interval" style={{ insetInlineStart: `${100 * low}%`, width: `${100 * (high - low)}%` }} />
      )}
    </div>
  )
}
